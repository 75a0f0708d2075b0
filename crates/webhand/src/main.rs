//! The `webhand` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    webhand::cli::main()
}
