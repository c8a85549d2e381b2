//! The `coalescope` command; everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    coalescope::cli::main()
}
