//! A sheet to draw on in logical pixels; with [`super::text`] the only place that names plotters.
//!
//! Plotters knows whole units only, so the sheet is drawn in quarter pixels and its header says how large it is to be shown.

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::{
    Circle, DrawingArea, FontDesc, FontFamily, FontStyle, FontTransform, IntoDrawingArea,
    PathElement, Polygon, SVGBackend,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor, ShapeStyle};

use super::ChartError;
use super::text::{FONT_FAMILY, LINE_PER_EM, font_is_ready, plain};
use super::theme::{Colour, Dash, INK, Marker, PAPER, Shape, Stroke};

/// A place on the sheet in pixels from its upper left corner.
pub(super) type Place = (f64, f64);

const UNITS_PER_PIXEL: f64 = 4.0;
const MARKER_RADIUS_PX: f64 = 3.6;

/// Where a text stands relative to its place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
    /// Centred and turned a quarter to the left, as the label of an upright axis is.
    Upright,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub size_px: f64,
    pub colour: Colour,
    pub opacity: f64,
    pub align: Align,
}

/// Text of `size_px` in ink.
pub(super) fn ink(size_px: f64, align: Align) -> Style {
    Style {
        size_px,
        colour: INK,
        opacity: 1.0,
        align,
    }
}

/// The sheet.
pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Draws on a white sheet of `width_px` by `height_px` and returns it as SVG; `title` is what a screen reader says.
pub(super) fn sheet(
    title: &'static str,
    (width_px, height_px): (u32, u32),
    draw: impl FnOnce(&Canvas) -> Result<(), ChartError>,
) -> Result<String, ChartError> {
    if !font_is_ready() {
        return Err(ChartError::Font);
    }
    let unit = UNITS_PER_PIXEL as u32;
    let size = (width_px * unit, height_px * unit);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&colour(PAPER)).map_err(refused)?;
        let canvas = Canvas { area };
        draw(&canvas)?;
        canvas.area.present().map_err(refused)?;
    }
    let drawn = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    let shown = format!("width=\"{width_px}\" height=\"{height_px}\" role=\"img\"");
    let svg = svg.replacen(&drawn, &shown, 1);
    Ok(svg.replacen(">\n", &format!(">\n<title>{title}</title>\n"), 1))
}

impl Canvas<'_> {
    /// A line through `places`.
    pub(super) fn line(&self, places: &[Place], stroke: Stroke) -> Result<(), ChartError> {
        let units: Vec<_> = places.iter().copied().map(units).collect();
        let style = outline(stroke.colour, stroke.width_px);
        let (dash_px, gap_px) = match stroke.dash {
            Dash::Solid => {
                return self
                    .area
                    .draw(&PathElement::new(units, style))
                    .map_err(refused);
            }
            Dash::Long => (10.0, 5.0),
            Dash::Short => (4.5, 3.0),
            Dash::Dotted => (1.5, 3.5),
        };
        let dashes = DashedPathElement::new(units, length(dash_px), length(gap_px), style);
        self.area.draw(&dashes).map_err(refused)
    }

    /// A filled area with these corners.
    pub(super) fn area(&self, corners: &[Place], inside: Colour) -> Result<(), ChartError> {
        let corners: Vec<_> = corners.iter().copied().map(units).collect();
        self.area
            .draw(&Polygon::new(corners, colour(inside).filled()))
            .map_err(refused)
    }

    /// A marker at `place`.
    pub(super) fn marker(&self, place: Place, marker: Marker) -> Result<(), ChartError> {
        let inside = colour(if marker.filled { marker.colour } else { PAPER });
        let style = outline(marker.colour, 1.5);
        if marker.shape == Shape::Circle {
            let radius = length(MARKER_RADIUS_PX);
            self.area
                .draw(&Circle::new(units(place), radius, inside.filled()))
                .map_err(refused)?;
            return self
                .area
                .draw(&Circle::new(units(place), radius, style))
                .map_err(refused);
        }
        let mut corners: Vec<_> = corners(marker.shape)
            .iter()
            .map(|(x, y)| {
                units((
                    place.0 + x * MARKER_RADIUS_PX,
                    place.1 + y * MARKER_RADIUS_PX,
                ))
            })
            .collect();
        self.area
            .draw(&Polygon::new(corners.clone(), inside.filled()))
            .map_err(refused)?;
        corners.extend(corners.first().copied());
        self.area
            .draw(&PathElement::new(corners, style))
            .map_err(refused)
    }

    /// One line of text, made printable: plotters escapes XML's own characters, but not those that XML forbids.
    pub(super) fn text(&self, text: &str, place: Place, style: Style) -> Result<(), ChartError> {
        let (horizontal, transform) = match style.align {
            Align::Left => (HPos::Left, FontTransform::None),
            Align::Middle => (HPos::Center, FontTransform::None),
            Align::Right => (HPos::Right, FontTransform::None),
            Align::Upright => (HPos::Center, FontTransform::Rotate270),
        };
        let size = style.size_px * LINE_PER_EM * UNITS_PER_PIXEL;
        let font = FontDesc::new(FontFamily::Name(FONT_FAMILY), size, FontStyle::Normal)
            .transform(transform)
            .color(&colour(style.colour).mix(style.opacity))
            .pos(Pos::new(horizontal, VPos::Center));
        self.area
            .draw_text(&plain(text), &font, units(place))
            .map_err(refused)
    }
}

/// The corners of a marker of radius 1.
fn corners(shape: Shape) -> &'static [Place] {
    match shape {
        Shape::Circle | Shape::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        Shape::Up => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
        Shape::Down => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
        Shape::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        Shape::Cross => &[
            (-1.1, -1.1),
            (0.0, 0.0),
            (1.1, -1.1),
            (0.0, 0.0),
            (1.1, 1.1),
            (0.0, 0.0),
            (-1.1, 1.1),
            (0.0, 0.0),
        ],
        Shape::Plus => &[
            (-0.45, -1.2),
            (0.45, -1.2),
            (0.45, -0.45),
            (1.2, -0.45),
            (1.2, 0.45),
            (0.45, 0.45),
            (0.45, 1.2),
            (-0.45, 1.2),
            (-0.45, 0.45),
            (-1.2, 0.45),
            (-1.2, -0.45),
            (-0.45, -0.45),
        ],
    }
}

fn units((x, y): Place) -> (i32, i32) {
    (
        (x * UNITS_PER_PIXEL).round() as i32,
        (y * UNITS_PER_PIXEL).round() as i32,
    )
}

fn length(px: f64) -> u32 {
    (px * UNITS_PER_PIXEL).round() as u32
}

fn colour((red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}

fn outline(of: Colour, width_px: f64) -> ShapeStyle {
    colour(of).stroke_width(length(width_px))
}

fn refused(error: impl Display) -> ChartError {
    ChartError::Draw(error.to_string())
}
