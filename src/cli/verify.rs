//! `coalescope verify`: proves every kernel exact over a whole footprint, a line a kernel.

use serde::Serialize;

use super::exit::Outcome;
use super::format::{Format, print_csv, print_json, print_table};
use super::target;
use crate::executor::ExecutorError;
use crate::sweep::{Proof, Verified, prove, verification_cases};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    target: target::Args,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// One kernel, as CSV and JSON have it.
#[derive(Serialize)]
struct Line {
    kernel: String,
    element_bytes: u32,
    layout: String,
    footprint_bytes: u64,
    expected: String,
    got: String,
    status: String,
    reason: String,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut target = args.target.choose(target::verified_footprint, true)?;
    let mut executor = target.open()?.executor;
    let (mut lines, mut some_wrong) = (Vec::new(), false);
    for Verified { kernel, planned } in verification_cases() {
        tell!("verifying {kernel}");
        let proof = prove(&planned, target.lanes, &mut *executor);
        some_wrong |= matches!(proof, Proof::Wrong { .. } | Proof::Failed(_));
        let is_lost = matches!(proof, Proof::Failed(ExecutorError::DeviceLost(_)));
        let (expected, got) = proof
            .sums()
            .map_or_else(Default::default, |(expected, got)| {
                (format!("{expected:#010x}"), format!("{got:#010x}"))
            });
        lines.push(Line {
            kernel,
            element_bytes: planned.spec.element.bytes(),
            layout: planned.spec.layout.to_string(),
            footprint_bytes: executor.footprint().total_bytes(),
            expected,
            got,
            status: proof.word().to_owned(),
            reason: proof.reason(),
        });
        if is_lost {
            tell!("the device was lost; the kernels after this one are not verified");
            break;
        }
    }
    match args.format {
        Format::Csv => print_csv(&lines)?,
        Format::Json => print_json(&lines)?,
        Format::Table => print_table(
            &[
                "kernel",
                "footprint (bytes)",
                "expected",
                "got",
                "status",
                "reason",
            ],
            lines.iter().map(|line| {
                vec![
                    line.kernel.clone(),
                    line.footprint_bytes.to_string(),
                    line.expected.clone(),
                    line.got.clone(),
                    line.status.clone(),
                    line.reason.clone(),
                ]
            }),
        )?,
    }
    Ok(if some_wrong {
        Outcome::CaseFailed
    } else {
        Outcome::Done
    })
}
