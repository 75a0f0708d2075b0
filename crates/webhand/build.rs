//! A program that is called a hundred times an hour should start at once.
//!
//! As a position-independent one it has 67,000 addresses to be put right before it can begin, and a third of its pages with them: more than
//! a millisecond, on every command. The release binary for Linux has a fixed place instead; see ARCHITECTURE.md.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
