//! The `dagwood` program: arguments in, an exit status out.

use std::process::ExitCode;

use anyhow::Context;
use dagwood::error::Exit;

fn main() -> ExitCode {
    let exit = dagwood::cli::run(std::env::args_os()).context("cannot write the answer").unwrap_or_else(|error| {
        eprintln!("dagwood: {error:#}");
        Exit::Failed
    });
    ExitCode::from(exit as u8)
}
