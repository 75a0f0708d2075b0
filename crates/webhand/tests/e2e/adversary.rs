//! Attacks on the binary by whoever may speak to it: what an agent may not do, tried in every way that somebody thought of.

mod scripts;
