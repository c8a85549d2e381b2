//! From the SVG of a chart to a PNG of the same drawing; the only place that names resvg.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::ChartError;

/// Pixels of the PNG for each logical pixel, so that it stays sharp on a dense screen and in print.
const DENSITY: f32 = 2.0;

/// Draws `svg` as a PNG with the compiled-in font alone: no font of the system is looked for.
pub(super) fn png(svg: &str) -> Result<Vec<u8>, ChartError> {
    let tree = Tree::from_str(svg, &options()).map_err(|e| ChartError::Svg(e.to_string()))?;
    let size = tree.size();
    let (width, height) = (size.width() * DENSITY, size.height() * DENSITY);
    let mut pixmap = Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or_else(|| {
        ChartError::Png(format!(
            "a picture of {width} by {height} pixels has no room"
        ))
    })?;
    resvg::render(
        &tree,
        Transform::from_scale(DENSITY, DENSITY),
        &mut pixmap.as_mut(),
    );
    pixmap
        .encode_png()
        .map_err(|e| ChartError::Png(e.to_string()))
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    // Hack has letters that Ubuntu lacks; an adapter may be named in any script.
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts.set_sans_serif_family("Ubuntu");
    options
}
