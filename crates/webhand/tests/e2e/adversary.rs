//! Attacks: what a hostile page, model, client or local user tries. Each is done to the real binary and counted where it would show.

mod deeds;
