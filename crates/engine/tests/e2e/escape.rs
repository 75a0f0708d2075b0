//! Pages that try to reach what they may not, in a real Chromium, by every way that there is. What counts is counted at the sockets of the
//! places that must not be reached: not one connection, not one packet. Every attempt is made on a place that is allowed as well, so that
//! one that would never have arrived anywhere does not pass for one that was stopped.

mod attached;
mod attempts;
mod chatter;
mod domains;
mod everywhere;
mod outcomes;
mod random_pages;
mod random_rules;
mod spellings;
mod world;
