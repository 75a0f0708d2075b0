//! `qa` through `webhand call`: the criteria of its document by their numbers, then its edge cases.
