//! What memory does when a block is written: which of three policies fits the rows of a sweep.
//!
//! docs/METHODOLOGY.md, *Stores*, has the reasons. In short: bandwidth is compared with what each policy predicts at B, the fetch
//! plateau of loads; where none fits at that level, by the shape of the curve alone, with B free.

use std::fmt;

use crate::record::{Row, TRANSACTION_BYTES};
use crate::stats::median;
use crate::units::significant;

use super::{touches_each_byte_once, trusted_gb_per_s};

/// A policy fits where the median residual is no larger.
const FITS_PERCENT: f64 = 25.0;
/// A rival is told apart where its median residual is larger by this many percentage points.
const APART_PERCENT: f64 = 5.0;
/// Predictions closer than this factor are the same.
const SAME_PREDICTION: f64 = 1.05;
/// Fewer rows tell nothing.
const ROWS_MIN: usize = 3;
/// Rows this near to the fastest are as fast as it.
const AS_FAST: f64 = 0.9;
/// Of two rows that are as fast, one moves at least this many times the other's traffic if issuing limits them.
const MORE_TRAFFIC: f64 = 1.5;
/// Rows above this share of an issue ceiling may be bound by it.
const ISSUE_BOUND: f64 = 0.8;

/// What is moved when a block of memory is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Every touched block is written once, and nothing is read.
    WriteTouched,
    /// A block that the dispatch leaves partly unwritten is read before it is written.
    FillPartial,
    /// Every block is read before it is written, also those that are wholly covered.
    AllocateAlways,
}

impl Policy {
    /// All of them, from the least traffic to the most.
    pub const ALL: [Self; 3] = [Self::WriteTouched, Self::FillPartial, Self::AllocateAlways];
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::WriteTouched => "write only what was touched",
            Self::FillPartial => "fill-read of partly written blocks",
            Self::AllocateAlways => "allocate always",
        })
    }
}

/// How well a policy fits at one size of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The policy.
    pub policy: Policy,
    /// The size of blocks.
    pub transaction_bytes: u64,
    /// Median deviation from what it predicts at B, in percent; `None` where B is not known or nothing can be compared.
    pub residual_percent: Option<f64>,
    /// The bandwidth in GB/s at which memory would move this policy's traffic: the median over the rows.
    pub moved_gb_per_s: Option<f64>,
    /// Median deviation from what it predicts at `moved_gb_per_s`, in percent: how well the shape of the curve fits.
    pub spread_percent: Option<f64>,
}

/// The policy that fits, if one does.
#[derive(Clone, Debug, PartialEq)]
pub struct StorePolicy {
    /// The policy; `None` where the rows cannot tell.
    pub policy: Option<Policy>,
    /// The size of blocks at which the best candidate fits; of sizes that fit alike the smallest.
    pub transaction_bytes: u64,
    /// Whether the rows were compared at B, the fetch plateau of loads, in GB/s; `None` where the shape alone was.
    pub at_gb_per_s: Option<f64>,
    /// The issue ceiling in GB/s, where the rows show one: two that move very different amounts run equally fast. Rows near it are
    /// not compared.
    pub issue_gb_per_s: Option<f64>,
    /// Rows that could be compared.
    pub rows: usize,
    /// Every policy at every size of blocks.
    pub candidates: Vec<Candidate>,
    /// Why this policy or none, in a sentence.
    pub reason: String,
}

impl StorePolicy {
    /// Whether enough rows could be compared for a prediction to be held against them.
    pub fn has_enough_rows(&self) -> bool {
        self.rows >= ROWS_MIN
    }

    /// How well `policy` fits at the size of blocks that fits best.
    pub fn candidate(&self, policy: Policy) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| {
            (candidate.policy, candidate.transaction_bytes) == (policy, self.transaction_bytes)
        })
    }
}

/// Used bytes over the bytes that `policy` moves for `row`, in blocks of the `index`th of [`TRANSACTION_BYTES`]; a copy's loads
/// are among them. `None` where the row has no stores that were counted.
pub fn store_efficiency(row: &Row, policy: Policy, index: usize) -> Option<f64> {
    let (stored, partial) = stored_blocks(row, index);
    let all = [
        row.transactions_compulsory_32b,
        row.transactions_compulsory_64b,
        row.transactions_compulsory_128b,
    ][index];
    let read = match policy {
        Policy::WriteTouched => 0,
        Policy::FillPartial => partial?,
        Policy::AllocateAlways => stored,
    };
    let blocks = all.max(stored) + read;
    let moved = blocks as f64 * TRANSACTION_BYTES[index] as f64;
    (stored > 0 && row.bytes_used > 0).then(|| row.bytes_used as f64 / moved)
}

/// Blocks that are written, and those of them that are left partly unwritten.
fn stored_blocks(row: &Row, index: usize) -> (u64, Option<u64>) {
    [
        (
            row.transactions_store_32b,
            row.transactions_store_partial_32b,
        ),
        (
            row.transactions_store_64b,
            row.transactions_store_partial_64b,
        ),
        (
            row.transactions_store_128b,
            row.transactions_store_partial_128b,
        ),
    ][index]
}

/// The policy that fits the stores among `rows`.
pub fn store_policy(rows: &[&Row]) -> StorePolicy {
    let stores: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.op == "store")
        .collect();
    write_policy(&stores)
}

/// The policy that fits `rows`, all of one operation that writes.
pub fn write_policy(rows: &[&Row]) -> StorePolicy {
    let (points, issue_gb_per_s) = comparable(rows);
    let fetch_gb_per_s = rows
        .iter()
        .find_map(|row| row.fetch_plateau_gb_per_s)
        .filter(|b| b.is_finite() && *b > 0.0);
    let fits: Vec<Fit> = candidates(&points, fetch_gb_per_s);
    let at_level = fetch_gb_per_s.map(|_| choose(&points, &fits, Basis::Level));
    let by_shape = || choose(&points, &fits, Basis::Shape);
    // The shape is asked where the level names none; its refusal says no more than the level's.
    let (chosen, at_gb_per_s) = match at_level {
        Some(Ok(found)) => (Ok(found), fetch_gb_per_s),
        Some(Err(refused)) => match by_shape() {
            Ok(found) => (Ok(found), None),
            Err(_) => (Err(refused), fetch_gb_per_s),
        },
        None => (by_shape(), None),
    };
    let basis = at_gb_per_s.map_or(Basis::Shape, |_| Basis::Level);
    let (best, policy, reason) = match chosen {
        Ok((fit, reason)) => (fit, Some(fit.candidate.policy), reason),
        Err(reason) => (by_misfit(&fits, basis)[0], None, reason),
    };
    StorePolicy {
        policy,
        transaction_bytes: best.candidate.transaction_bytes,
        at_gb_per_s,
        issue_gb_per_s,
        rows: points.len(),
        candidates: fits.into_iter().map(|fit| fit.candidate).collect(),
        reason,
    }
}

/// What residuals are taken against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Basis {
    /// Predictions at B.
    Level,
    /// Predictions at each policy's own bandwidth.
    Shape,
}

/// A row that can be compared, with its efficiency under each candidate.
struct Point {
    gb_per_s: f64,
    efficiencies: Vec<f64>,
}

/// A candidate, with the bandwidth that its predictions start from on either basis.
struct Fit {
    candidate: Candidate,
    number: usize,
    fetch_gb_per_s: Option<f64>,
}

impl Fit {
    fn predicted(&self, point: &Point, basis: Basis) -> Option<f64> {
        let gb_per_s = match basis {
            Basis::Level => self.fetch_gb_per_s,
            Basis::Shape => self.candidate.moved_gb_per_s,
        };
        Some(gb_per_s? * point.efficiencies[self.number])
    }

    fn misfit_percent(&self, basis: Basis) -> Option<f64> {
        match basis {
            Basis::Level => self.candidate.residual_percent,
            Basis::Shape => self.candidate.spread_percent,
        }
    }
}

/// Every policy at every size of blocks, policies first.
fn kinds() -> impl Iterator<Item = (Policy, usize)> {
    Policy::ALL
        .into_iter()
        .flat_map(|policy| (0..TRANSACTION_BYTES.len()).map(move |index| (policy, index)))
}

/// The rows that stand for memory: packed, trusted, each byte once, and not bound by issuing; and the ceiling that binds the others.
fn comparable(rows: &[&Row]) -> (Vec<Point>, Option<f64>) {
    let mut points: Vec<Point> = rows
        .iter()
        .filter(|row| row.layout == "packed" && touches_each_byte_once(row))
        .filter_map(|row| {
            let efficiency = |(policy, index)| store_efficiency(row, policy, index);
            Some(Point {
                gb_per_s: trusted_gb_per_s(row)?,
                efficiencies: kinds().map(efficiency).collect::<Option<_>>()?,
            })
        })
        .collect();
    let ceiling_gb_per_s = seen_ceiling_gb_per_s(&points);
    if let Some(ceiling) = ceiling_gb_per_s {
        points.retain(|point| point.gb_per_s < ISSUE_BOUND * ceiling);
    }
    (points, ceiling_gb_per_s)
}

/// The issue ceiling in GB/s, where the top of the curve is flat: of two rows that are as fast as any, one moves much more.
///
/// The highest figure alone is no ceiling: a sweep that memory limits throughout has one too.
fn seen_ceiling_gb_per_s(points: &[Point]) -> Option<f64> {
    let top = points.iter().map(|point| point.gb_per_s).reduce(f64::max)?;
    // By the policy that moves least, which is the first.
    let fast = points
        .iter()
        .filter(|point| point.gb_per_s >= AS_FAST * top)
        .map(|point| point.efficiencies[0]);
    let least_traffic = fast.clone().reduce(f64::max)?;
    let most_traffic = fast.reduce(f64::min)?;
    (least_traffic >= MORE_TRAFFIC * most_traffic).then_some(top)
}

fn candidates(points: &[Point], fetch_gb_per_s: Option<f64>) -> Vec<Fit> {
    let candidate = |(number, (policy, index)): (usize, (Policy, usize))| {
        let moved: Vec<f64> = points
            .iter()
            .map(|point| point.gb_per_s / point.efficiencies[number])
            .collect();
        let mut fit = Fit {
            candidate: Candidate {
                policy,
                transaction_bytes: TRANSACTION_BYTES[index],
                residual_percent: None,
                moved_gb_per_s: median(&moved),
                spread_percent: None,
            },
            number,
            fetch_gb_per_s,
        };
        let every = points.iter().collect::<Vec<_>>();
        fit.candidate.residual_percent = misfit_percent(&every, &fit, Basis::Level);
        fit.candidate.spread_percent = misfit_percent(&every, &fit, Basis::Shape);
        fit
    };
    kinds().enumerate().map(candidate).collect()
}

/// The median factor between measured and predicted, in percent above 1.
fn misfit_percent(points: &[&Point], fit: &Fit, basis: Basis) -> Option<f64> {
    let logs: Option<Vec<f64>> = points
        .iter()
        .map(|point| Some((point.gb_per_s / fit.predicted(point, basis)?).ln().abs()))
        .collect();
    median(&logs?).map(|log| 100.0 * log.exp_m1())
}

/// Candidates by rising misfit; of equals the first, so that a smaller block is preferred.
fn by_misfit(fits: &[Fit], basis: Basis) -> Vec<&Fit> {
    let misfit = |fit: &Fit| fit.misfit_percent(basis).unwrap_or(f64::INFINITY);
    let mut sorted: Vec<&Fit> = fits.iter().collect();
    sorted.sort_by(|a, b| misfit(a).total_cmp(&misfit(b)));
    sorted
}

/// The candidate that fits and why, or why none is named.
fn choose<'a>(
    points: &[Point],
    fits: &'a [Fit],
    basis: Basis,
) -> Result<(&'a Fit, String), String> {
    if points.len() < ROWS_MIN {
        return Err(format!(
            "{} {} can be compared, and fewer than {ROWS_MIN} tell nothing",
            points.len(),
            if points.len() == 1 { "row" } else { "rows" }
        ));
    }
    let mut refused = None;
    // A median does not see the few rows that set two policies apart, so the second may be the one that is told from the others.
    for best in by_misfit(fits, basis) {
        match accept(points, fits, best, basis) {
            Ok(reason) => return Ok((best, reason)),
            Err(reason) => refused = refused.or(Some(reason)),
        }
    }
    Err(refused.unwrap_or_default())
}

/// Why `best` may be named, or why not.
fn accept(points: &[Point], fits: &[Fit], best: &Fit, basis: Basis) -> Result<String, String> {
    let policy = best.candidate.policy;
    let misfit = best.misfit_percent(basis).unwrap_or(f64::INFINITY);
    if misfit > FITS_PERCENT {
        return Err(format!(
            "the nearest, {policy}, is {misfit:.0} % off at the median row"
        ));
    }
    for rival in fits.iter().filter(|fit| fit.candidate.policy != policy) {
        told_apart(points, best, rival, basis)?;
    }
    let level = match (basis, best.fetch_gb_per_s, best.candidate.moved_gb_per_s) {
        (Basis::Level, Some(b), _) => {
            format!("B = {} GB/s, the plateau of loads", significant(b))
        }
        (_, _, Some(moved)) => format!("its shape alone, {} GB/s being moved", significant(moved)),
        _ => String::new(),
    };
    Ok(format!(
        "{misfit:.0} % off at the median of {} rows, by {level}",
        points.len()
    ))
}

/// Whether the rows for which `best` and `other` predict differently speak for `best`.
fn told_apart(points: &[Point], best: &Fit, other: &Fit, basis: Basis) -> Result<(), String> {
    let differs = |point: &&Point| {
        let ratio = best
            .predicted(point, basis)
            .zip(other.predicted(point, basis))
            .map_or(1.0, |(a, b)| (a / b).max(b / a));
        ratio > SAME_PREDICTION
    };
    let differing: Vec<&Point> = points.iter().filter(differs).collect();
    let (policy, rival) = (best.candidate.policy, other.candidate.policy);
    let misfits =
        misfit_percent(&differing, best, basis).zip(misfit_percent(&differing, other, basis));
    let Some((mine, theirs)) = misfits else {
        return Err(format!(
            "{policy} and {rival} predict the same for every row that can be compared"
        ));
    };
    if mine > FITS_PERCENT || theirs < mine + APART_PERCENT {
        return Err(format!(
            "where {policy} and {rival} differ, they are {mine:.0} % and {theirs:.0} % off"
        ));
    }
    Ok(())
}
