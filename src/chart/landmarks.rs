//! Words above a plot that name places on its axis, each at an upright line.
//!
//! They have a lane of their own, so that they cover nothing in the plot. In the lane a word starts at its line and runs to the
//! right; where it would reach another's line or words, it moves up a row, and its own line passes to the left of theirs.

use super::ChartError;
use super::canvas::{Align, Canvas, Style, ink};
use super::marks::Plot;
use super::series::Landmark;
use super::text::width_px;
use super::theme::{CAPTION_PX, MUTED, landmark_stroke};

const ROW_PX: f64 = 17.0;
/// Between a line and its words.
const GAP_PX: f64 = 4.0;
/// Between words and what stands to the right of them.
const ROOM_PX: f64 = 6.0;

/// A landmark with its place in the lane.
pub(super) struct Placed<'a> {
    landmark: &'a Landmark,
    x_px: f64,
    /// The row, 0 right above the plot.
    row: usize,
}

/// The landmarks that stand on the axis of `plot`, from right to left.
pub(super) fn placed<'a>(landmarks: &'a [Landmark], plot: &Plot) -> Vec<Placed<'a>> {
    let mut standing: Vec<(f64, &Landmark)> = landmarks
        .iter()
        .filter_map(|landmark| Some((plot.across(landmark.x)?, landmark)))
        .collect();
    standing.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut placed: Vec<Placed> = Vec::new();
    for (x_px, landmark) in standing {
        let end_px = x_px + GAP_PX + width_px(&landmark.label, CAPTION_PX) + ROOM_PX;
        let reached = placed.iter().filter(|other| other.x_px < end_px);
        let row = reached.map(|other| other.row + 1).max().unwrap_or(0);
        placed.push(Placed {
            landmark,
            x_px,
            row,
        });
    }
    placed
}

/// The height of the lane in pixels.
pub(super) fn height_px(placed: &[Placed]) -> f64 {
    let rows = placed.iter().map(|one| one.row + 1).max().unwrap_or(0);
    rows as f64 * ROW_PX
}

/// Draws lines down to the bottom of `plot`, and their words above it.
pub(super) fn draw(canvas: &Canvas, plot: &Plot, placed: &[Placed]) -> Result<(), ChartError> {
    let style = Style {
        colour: MUTED,
        ..ink(CAPTION_PX, Align::Left)
    };
    for one in placed {
        let middle = plot.top - (one.row as f64 + 0.5) * ROW_PX;
        let line = [(one.x_px, middle - ROW_PX / 2.0), (one.x_px, plot.bottom())];
        canvas.line(&line, landmark_stroke())?;
        canvas.text(&one.landmark.label, (one.x_px + GAP_PX, middle), style)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::axis::Axis;

    fn rows(strides: &[f64]) -> Vec<(f64, usize)> {
        let (x, y) = (
            Axis::strides(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 256.0]),
            Axis::bandwidths_log(&[1.0]),
        );
        let plot = Plot {
            left: 0.0,
            top: 0.0,
            width: 640.0,
            height: 320.0,
            x: &x,
            y: &y,
        };
        let landmarks: Vec<Landmark> = strides
            .iter()
            .map(|x| Landmark {
                x: *x,
                label: "decline from stride 32".to_owned(),
            })
            .collect();
        let placed = placed(&landmarks, &plot);
        placed.iter().map(|one| (one.landmark.x, one.row)).collect()
    }

    #[test]
    fn words_that_would_reach_another_line_move_up_a_row() {
        assert_eq!(rows(&[2.0, 16.0]), [(16.0, 0), (2.0, 0)]);
        assert_eq!(
            rows(&[2.0, 16.0, 17.0, 32.0]),
            [(32.0, 0), (17.0, 1), (16.0, 2), (2.0, 0)]
        );
        assert_eq!(rows(&[8.0, 8.0]), [(8.0, 0), (8.0, 1)]);
    }

    #[test]
    fn what_has_no_place_on_the_axis_has_none_in_the_lane() {
        assert_eq!(rows(&[0.5, 512.0]), []);
    }
}
