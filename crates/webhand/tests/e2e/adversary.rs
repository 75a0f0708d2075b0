//! Attacks through the fronts, by whoever may speak to them: each is made against the real binary, and what came of it is counted where it
//! would have had its effect, at pages, at servers' sockets and in files.

mod attaching;
mod deeds;
mod http_clients;
mod matrix;
mod other_ways;
mod roots;
mod scripts;
mod sessions;
mod tokens;
