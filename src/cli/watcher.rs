//! Watches a campaign: every sample to disk at once, the rows at least once a second, progress to the terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::card;
use super::progress::Progress;
use crate::findings::naming::{SPEC_CHARS_MAX, shortened};
use crate::record::{Folder, FolderError, RunCard, SampleRow, rows};
use crate::sweep::{Campaign, CaseState, Observer, SampleRecord};
use crate::units::significant;

/// Time between two writings of all rows; each replaces the file.
const ROWS_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Watcher {
    folder: Folder,
    card: RunCard,
    progress: Progress,
    stop: Arc<AtomicBool>,
    rows_written: Option<Instant>,
}

impl Watcher {
    pub(super) fn new(
        folder: Folder,
        card: RunCard,
        progress: Progress,
        stop: Arc<AtomicBool>,
    ) -> Self {
        Self {
            folder,
            card,
            progress,
            stop,
            rows_written: None,
        }
    }

    /// Ends the watching and gives the files back.
    pub(super) fn finish(self) -> (Folder, RunCard) {
        self.progress.finish();
        (self.folder, self.card)
    }

    fn write_rows(&mut self, campaign: &Campaign) -> Result<(), FolderError> {
        if self
            .rows_written
            .is_none_or(|last| last.elapsed() >= ROWS_INTERVAL)
        {
            self.rows_written = Some(Instant::now());
            self.folder.write_rows(&rows(campaign, &self.card))?;
        }
        Ok(())
    }
}

impl Observer for Watcher {
    type Error = FolderError;

    fn prepared(&mut self, campaign: &Campaign, index: usize) -> Result<(), FolderError> {
        let case = &campaign.cases[index];
        let figure = match (
            &case.failure,
            case.samples
                .first()
                .and_then(|sample| sample.gb_per_s(campaign.drift().method)),
        ) {
            (Some(failure), _) => failure.reason.clone(),
            (None, Some(gb_per_s)) => format!("{} GB/s useful (one sample)", significant(gb_per_s)),
            (None, None) => "no figure".to_owned(),
        };
        self.progress.first_figure(
            index + 1,
            &format!("{} {figure}", shortened(&case.label(), SPEC_CHARS_MAX)),
        );
        self.write_rows(campaign)
    }

    fn sampled(
        &mut self,
        state: &CaseState,
        sample: &SampleRecord,
        is_reference: bool,
    ) -> Result<(), FolderError> {
        self.folder
            .add_sample(&SampleRow::new(state, sample, is_reference))
    }

    fn round_ended(&mut self, campaign: &Campaign, round: u32) -> Result<(), FolderError> {
        let open = campaign.cases.iter().filter(|case| case.is_open()).count();
        card::complete(&mut self.card, campaign);
        self.progress
            .round(round, open, campaign.sampling_ns as f64 / 1e9);
        self.write_rows(campaign)
    }

    fn stop_requested(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
