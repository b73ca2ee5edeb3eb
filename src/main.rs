//! The `dagwood` program: arguments in, an exit status out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(dagwood::cli::run(std::env::args_os()) as u8)
}
