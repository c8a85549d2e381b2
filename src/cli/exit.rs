//! Exit statuses: 0 every case has a result or a documented skip, 1 something failed, 2 usage, 130 interrupted.

use std::process::ExitCode;

/// How a verb that ran to its end went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Everything asked for has a result or a documented skip.
    Done,
    /// At least one case failed.
    CaseFailed,
    /// The user stopped it.
    Interrupted,
}

/// What the user typed cannot be meant: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// Prints clap's text where it belongs (help on stdout is a success) and says how it ended.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    // A closed pipe leaves nobody to tell.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Turns the outcome of a verb into an exit status, after printing its error.
pub(super) fn report(outcome: anyhow::Result<Outcome>) -> ExitCode {
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::CaseFailed) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) => {
            tell!("error: {error:#}");
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}
