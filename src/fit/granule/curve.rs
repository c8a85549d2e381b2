//! The points that an inference reads: strides and useful bandwidths, from a run or from anybody's table.

use crate::record::Row;
use crate::stats::median;
use crate::sweep::STRIDE;

use super::super::{touches_each_byte_once, trusted_gb_per_s};

/// Every stride up to here may be told from its neighbours; of larger ones so many in each octave are enough.
const DENSE_STRIDES: u64 = 256;
const STRIDES_PER_OCTAVE: f64 = 32.0;

/// One stride of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Distance of neighbouring lanes' elements; at least 1.
    pub stride_elements: u64,
    /// Useful bandwidth, finite and above zero.
    pub useful_gb_per_s: f64,
    /// Half of the 95 % interval as a share of the bandwidth, where it is known.
    pub half_width: Option<f64>,
}

/// A stride sweep: one point a stride, by rising stride.
#[derive(Clone, Debug, PartialEq)]
pub struct StrideCurve {
    element_bytes: u32,
    points: Vec<Point>,
}

impl StrideCurve {
    /// The sweep of `points`; those without a stride of at least 1 and a finite bandwidth above zero are left out, and of several
    /// of one stride the median stays. Of thousands of large strides a few in each octave stay, so that a fit takes no longer.
    pub fn new(element_bytes: u32, points: impl IntoIterator<Item = Point>) -> Self {
        let mut points: Vec<Point> = points
            .into_iter()
            .filter(|point| {
                point.stride_elements > 0
                    && point.useful_gb_per_s.is_finite()
                    && point.useful_gb_per_s > 0.0
            })
            .collect();
        points.sort_by_key(|point| point.stride_elements);
        let same = |a: &Point, b: &Point| a.stride_elements == b.stride_elements;
        let mut points: Vec<Point> = points.chunk_by(same).filter_map(merged).collect();
        points.dedup_by_key(|point| place(point.stride_elements));
        Self {
            element_bytes: element_bytes.max(1),
            points,
        }
    }

    /// The sweep that the suite `stride` of a run measured with one element width: packed, ascending loads, of which no guard but a
    /// wide interval was raised. `None` where fewer than two strides are left.
    pub fn of_rows(rows: &[&Row], element_bytes: u32) -> Option<Self> {
        let swept = rows.iter().filter(|row| {
            row.suite == STRIDE
                && row.element_bytes == element_bytes
                && row.op == "load"
                && row.layout == "packed"
                && row.offset_bytes.unwrap_or(0) == 0
                && touches_each_byte_once(row)
        });
        let points = swept.filter_map(|row| {
            let useful = trusted_gb_per_s(row)?;
            let ends = row.useful_low_gb_per_s.zip(row.useful_high_gb_per_s);
            Some(Point {
                stride_elements: u64::try_from(row.stride_elements?).ok()?,
                useful_gb_per_s: useful,
                half_width: ends.map(|(low, high)| (high - low) / 2.0 / useful),
            })
        });
        let curve = Self::new(element_bytes, points);
        (curve.points.len() >= 2).then_some(curve)
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> u32 {
        self.element_bytes
    }

    /// The points by rising stride.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Whether every stride is a power of two, which also is the one where cache sets and channels collide.
    pub fn has_powers_of_two_alone(&self) -> bool {
        self.points
            .iter()
            .all(|point| point.stride_elements.is_power_of_two())
    }
}

/// Strides of the same place count as one.
fn place(stride_elements: u64) -> u64 {
    if stride_elements <= DENSE_STRIDES {
        return stride_elements;
    }
    DENSE_STRIDES + ((stride_elements as f64).log2() * STRIDES_PER_OCTAVE) as u64
}

/// The median of points of one stride.
fn merged(points: &[Point]) -> Option<Point> {
    let useful: Vec<f64> = points.iter().map(|point| point.useful_gb_per_s).collect();
    let half_widths: Vec<f64> = points.iter().filter_map(|point| point.half_width).collect();
    Some(Point {
        stride_elements: points.first()?.stride_elements,
        useful_gb_per_s: median(&useful)?,
        half_width: median(&half_widths).filter(|width| width.is_finite() && *width >= 0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(stride_elements: u64, useful_gb_per_s: f64) -> Point {
        Point {
            stride_elements,
            useful_gb_per_s,
            half_width: None,
        }
    }

    #[test]
    fn points_come_out_in_order_once_each_and_without_nonsense() {
        let curve = StrideCurve::new(
            4,
            [
                point(8, 1.0),
                point(1, 5.0),
                point(1, 9.0),
                point(1, 6.0),
                point(0, 7.0),
                point(2, f64::NAN),
                point(3, -1.0),
                point(4, f64::INFINITY),
                point(5, 0.0),
            ],
        );
        assert_eq!(curve.points(), [point(1, 6.0), point(8, 1.0)]);
        assert!(curve.has_powers_of_two_alone());
    }

    #[test]
    fn thousands_of_strides_are_thinned_and_the_small_ones_kept() {
        let curve = StrideCurve::new(4, (1..100_000).map(|stride| point(stride, 1.0)));
        let kept = curve.points();
        assert!(kept.len() < 600, "{}", kept.len());
        assert_eq!(kept[255].stride_elements, 256);
        assert!(
            kept[256..]
                .windows(2)
                .all(|pair| pair[0].stride_elements < pair[1].stride_elements)
        );
    }
}
