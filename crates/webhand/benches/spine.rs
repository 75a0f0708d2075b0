//! Speed beside the raw protocol's.
fn main() {}
