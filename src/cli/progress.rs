//! How far a run is, on stderr: a bar in a terminal, a line now and then elsewhere.

use std::io::{IsTerminal as _, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two lines where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// The progress of a run.
#[derive(Debug)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    cases: usize,
    budget_s: f64,
    last_line: Option<Instant>,
}

impl Progress {
    /// Shows nothing yet.
    pub(super) fn new(cases: usize, budget_s: f64) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb")
            || std::env::var_os("NO_COLOR").is_some();
        let bar = (stderr().is_terminal() && !dumb).then(|| {
            // In tenths of a percent of the whole: the first round, then the budget.
            let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} % {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            cases,
            budget_s,
            last_line: None,
        }
    }

    /// Case number `done` of the first round has a first figure, or none.
    pub(super) fn first_figure(&mut self, done: usize, text: &str) {
        let share = done as f64 / self.cases.max(1) as f64 * 0.1;
        self.show(
            share,
            format!("first round, {done} of {}: {text}", self.cases),
        );
    }

    /// A round has ended, `open` cases are not yet settled.
    pub(super) fn round(&mut self, round: u32, open: usize, sampling_s: f64) {
        let share = 0.1 + 0.9 * (sampling_s / self.budget_s.max(f64::MIN_POSITIVE)).min(1.0);
        let settled = self.cases - open;
        self.show(
            share,
            format!(
                "round {round}: {settled} of {} settled, {sampling_s:.0} s of at most {:.0} s",
                self.cases, self.budget_s
            ),
        );
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&mut self, share: f64, text: String) {
        if let Some(bar) = &self.bar {
            bar.set_position((share * 1000.0) as u64);
            bar.set_message(text);
        } else if self
            .last_line
            .is_none_or(|last| last.elapsed() >= LINE_INTERVAL)
        {
            self.last_line = Some(Instant::now());
            tell!("{text}");
        }
    }
}
