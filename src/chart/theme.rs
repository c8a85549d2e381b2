//! What every chart shares to the eye: colours, dashes, markers and sizes.
//!
//! The colours follow Okabe and Ito's, which colour-blind readers tell apart. No line or marker is told by its colour alone: each
//! also has a dash or a shape of its own, and the three transaction sizes differ in lightness, so that a grey print still reads.

use crate::fit::Policy;
use crate::record::Status;

use super::series::{Curve, Level, Look, MarkKind, Sharing};

/// A colour as red, green and blue.
pub(super) type Colour = (u8, u8, u8);

pub(super) const INK: Colour = (0x1a, 0x1a, 0x1a);
pub(super) const MUTED: Colour = (0x55, 0x55, 0x55);
/// What stands behind a fit, or was left out of it.
pub(super) const PALE: Colour = (0x8a, 0x8a, 0x8a);
pub(super) const GRID: Colour = (0xe4, 0xe4, 0xe4);
pub(super) const PAPER: Colour = (0xff, 0xff, 0xff);
/// The room between two predictions, or around one.
pub(super) const BAND: Colour = (0xee, 0xf1, 0xf4);

/// The edge of every bar of a case, and what is as dark beside one.
pub(super) const BAR_EDGE: Colour = (0x2f, 0x5f, 0x85);
/// A bar whose case raised no guard.
pub(super) const BAR: Fill = Fill {
    inside: (0x7d, 0xa7, 0xc7),
    edge: BAR_EDGE,
};
/// A bar whose case raised a guard.
pub(super) const GUARDED_BAR: Fill = Fill {
    inside: PAPER,
    ..BAR
};
/// The room between two predictions for a bar.
pub(super) const SPAN: Fill = Fill {
    inside: (0xfb, 0xe9, 0xd3),
    edge: (0xd9, 0xb0, 0x85),
};
/// The parts of a bar of verdicts, which differ in lightness too.
pub(super) const RIGHT: Fill = BAR;
pub(super) const UNDETERMINED: Fill = Fill {
    inside: (0xf0, 0xf0, 0xf0),
    edge: PALE,
};
pub(super) const WRONG: Fill = Fill {
    inside: (0xa3, 0x3a, 0x00),
    edge: (0x70, 0x28, 0x00),
};
/// Where a prediction for a bar stands.
pub(super) const FORESEEN: Colour = (0xb3, 0x45, 0x00);

/// Text sizes in pixels at 100 %.
pub(super) const TITLE_PX: f64 = 23.0;
pub(super) const SUBTITLE_PX: f64 = 15.0;
pub(super) const LABEL_PX: f64 = 15.0;
pub(super) const TICK_PX: f64 = 14.0;
pub(super) const CAPTION_PX: f64 = 13.5;

/// So many measured series have a look of their own.
pub(super) const SERIES_MAX: usize = 8;

/// How a line is broken, from whole to most broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dash {
    Solid,
    Long,
    Short,
    Dotted,
}

/// How a bar is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fill {
    pub inside: Colour,
    pub edge: Colour,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    pub colour: Colour,
    pub width_px: f64,
    pub dash: Dash,
}

/// The outline of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    Square,
    Up,
    Down,
    Diamond,
    Cross,
    Plus,
}

/// How a measured point is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    pub shape: Shape,
    pub colour: Colour,
    pub filled: bool,
}

/// A solid line of `colour`.
pub(super) fn solid(colour: Colour, width_px: f64) -> Stroke {
    Stroke {
        colour,
        width_px,
        dash: Dash::Solid,
    }
}

/// The line of a prediction; one that stands for several sizes is grey.
pub(super) fn curve_stroke(curve: &Curve) -> Stroke {
    let stroke = match curve.look {
        Look::Blocks => model_stroke(&curve.transaction_bytes),
        Look::Series => series_stroke(curve.measured),
        Look::Policy(policy) => policy_stroke(policy),
        Look::Backdrop => Stroke {
            colour: PALE,
            width_px: 1.5,
            ..model_stroke(&curve.transaction_bytes)
        },
    };
    match curve.sharing {
        Sharing::Everything => stroke,
        // Thinner, and a step more broken, so that none is whole.
        Sharing::Nothing => Stroke {
            width_px: 1.5,
            dash: match stroke.dash {
                Dash::Solid => Dash::Long,
                Dash::Long => Dash::Short,
                Dash::Short | Dash::Dotted => Dash::Dotted,
            },
            ..stroke
        },
    }
}

fn model_stroke(transaction_bytes: &[u64]) -> Stroke {
    let (colour, dash) = match transaction_bytes {
        [32] => ((0xe6, 0x9f, 0x00), Dash::Short),
        [64] => ((0x2b, 0x8c, 0xc4), Dash::Long),
        [128] => ((0x96, 0x30, 0x00), Dash::Solid),
        _ => ((0x77, 0x77, 0x77), Dash::Solid),
    };
    Stroke {
        colour,
        width_px: 2.0,
        dash,
    }
}

/// The line of a prediction for the `index`th measured series, in its colour.
fn series_stroke(index: usize) -> Stroke {
    Stroke {
        colour: series_look(index).1,
        width_px: 2.0,
        dash: [Dash::Solid, Dash::Long, Dash::Short][index % 3],
    }
}

/// The line of a policy of stores: from the least traffic, broken, to the most, whole.
fn policy_stroke(policy: Policy) -> Stroke {
    match policy {
        Policy::WriteTouched => model_stroke(&[32]),
        Policy::FillPartial => model_stroke(&[64]),
        Policy::AllocateAlways => model_stroke(&[128]),
    }
}

/// The line of a curve that was fitted: heavier than any other where it is determined.
pub(super) fn fit_stroke(is_determined: bool) -> Stroke {
    let (width_px, dash) = if is_determined {
        (3.0, Dash::Solid)
    } else {
        (2.0, Dash::Dotted)
    };
    Stroke {
        colour: (0xd5, 0x5e, 0x00),
        width_px,
        dash,
    }
}

/// The upright line under the words of a landmark.
pub(super) fn landmark_stroke() -> Stroke {
    Stroke {
        colour: PALE,
        width_px: 1.0,
        dash: Dash::Short,
    }
}

/// The curves with their lines, whole ones first: where curves agree, the broken ones lie on top and let the others show.
pub(super) fn in_drawing_order(curves: &[Curve]) -> Vec<(&Curve, Stroke)> {
    let mut lines: Vec<_> = curves
        .iter()
        .map(|curve| (curve, curve_stroke(curve)))
        .collect();
    lines.sort_by_key(|(_, stroke)| stroke.dash);
    lines
}

/// The line of a level, in the colour of its series where it has one.
pub(super) fn level_stroke(level: &Level) -> Stroke {
    Stroke {
        colour: level.measured.map_or(MUTED, |index| series_look(index).1),
        width_px: 1.5,
        dash: Dash::Dotted,
    }
}

/// The upright line of a mark.
pub(super) fn mark_stroke(kind: MarkKind) -> Stroke {
    match kind {
        MarkKind::Told => Stroke {
            colour: MUTED,
            width_px: 1.5,
            dash: Dash::Long,
        },
        MarkKind::Found => Stroke {
            colour: (0xc2, 0x4a, 0x00),
            width_px: 1.5,
            dash: Dash::Short,
        },
    }
}

/// The marker of the `index`th measured series for a case that ended with `status`: filled only where no guard was raised.
pub(super) fn marker(index: usize, status: Status) -> Marker {
    let (own, colour) = series_look(index);
    let shape = match status {
        Status::Ok | Status::Noisy | Status::Skipped | Status::Failed => own,
        Status::CacheResident => Shape::Down,
        Status::LaunchBound => Shape::Diamond,
        Status::OverPeak => Shape::Up,
        Status::LoadsSuspect => Shape::Cross,
    };
    Marker {
        shape,
        colour,
        filled: status == Status::Ok,
    }
}

/// The marker of what a fit leaves of a figure: the figure's own, but pale and hollow where it was left out of the fit.
pub(super) fn residual_marker(index: usize, status: Status, is_fitted: bool) -> Marker {
    let own = marker(index, status);
    if is_fitted {
        return own;
    }
    Marker {
        colour: PALE,
        filled: false,
        ..own
    }
}

/// Shape and colour of the `index`th measured series; no guard has one of these shapes, so that a hollow one is a noisy figure.
fn series_look(index: usize) -> (Shape, Colour) {
    const SERIES: [(Shape, Colour); SERIES_MAX] = [
        (Shape::Circle, INK),
        (Shape::Square, (0x8e, 0x2f, 0x6e)),
        (Shape::Plus, (0x00, 0x7a, 0x5a)),
        (Shape::Circle, (0xd5, 0x5e, 0x00)),
        (Shape::Square, (0x00, 0x72, 0xb2)),
        (Shape::Plus, (0xe6, 0x9f, 0x00)),
        (Shape::Circle, (0x56, 0xb4, 0xe9)),
        (Shape::Square, (0x8a, 0x8a, 0x8a)),
    ];
    SERIES[index % SERIES.len()]
}

/// The line that joins the points of the `index`th measured series: no two have both marker and dash in common.
pub(super) fn joined_stroke(index: usize) -> Stroke {
    const DASHES: [Dash; 4] = [Dash::Solid, Dash::Long, Dash::Short, Dash::Dotted];
    Stroke {
        colour: series_look(index).1,
        width_px: 1.8,
        dash: DASHES[index % DASHES.len()],
    }
}

/// The marker of a figure as another tool counts it.
pub(super) fn counted_marker() -> Marker {
    Marker {
        shape: Shape::Diamond,
        colour: (0x8e, 0x2f, 0x6e),
        filled: false,
    }
}

/// The word of a status in a legend or note, as the `status` column has it.
pub(super) fn status_word(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Skipped => "skipped",
        Status::Failed => "failed",
        Status::LoadsSuspect => "loads-suspect",
        Status::CacheResident => "cache-resident",
        Status::LaunchBound => "launch-bound",
        Status::OverPeak => "over-peak",
        Status::Noisy => "noisy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_joined_series_is_told_without_its_colour() {
        let looks: Vec<(Shape, Dash)> = (0..SERIES_MAX)
            .map(|index| (marker(index, Status::Ok).shape, joined_stroke(index).dash))
            .collect();
        for (number, look) in looks.iter().enumerate() {
            assert!(!looks[..number].contains(look), "{number}: {look:?}");
        }
    }

    #[test]
    fn no_series_has_the_shape_of_a_guard() {
        let guards = [
            Status::CacheResident,
            Status::LaunchBound,
            Status::OverPeak,
            Status::LoadsSuspect,
        ];
        for index in 0..SERIES_MAX {
            let own = marker(index, Status::Noisy).shape;
            assert!(guards.map(|guard| marker(index, guard).shape != own) == [true; 4]);
        }
    }
}
