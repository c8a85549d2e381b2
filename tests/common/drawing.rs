//! Charts drawn and looked at as a reader of the picture would.

use coalescope::chart::{Card, Chart, charts};
use coalescope::record::Row;
use resvg::usvg::{Node, Options, Rect, Tree};

const STAMPS: [&str; 2] = ["simulated", "software adapter: this is the CPU's memory"];

/// Draws `rows`, and sees to it that every chart is well-formed, repeatable and a picture.
pub(crate) fn drawn(rows: &[Row]) -> Vec<Chart> {
    let card = Card::from_rows(rows, "2026-03-01 12:00");
    let drawn = charts(rows, &card).unwrap();
    assert_eq!(
        charts(rows, &card).unwrap(),
        drawn,
        "the same rows gave another drawing"
    );
    drawn.iter().for_each(assert_readable);
    drawn
}

/// The chart is a picture, its texts keep apart, and no number in it is none.
#[track_caller]
pub(crate) fn assert_readable(chart: &Chart) {
    let png = chart.png().unwrap();
    assert!(png.starts_with(b"\x89PNG"), "{} is no picture", chart.name);
    assert_texts_keep_apart(&chart.svg);
    let mut words = chart.svg.split(|c: char| !c.is_alphanumeric());
    assert!(
        !words.any(|word| ["NaN", "inf"].contains(&word)),
        "{}",
        chart.svg
    );
}

/// No text is cut by the sheet's edge or runs into another; the stamp lies behind the data on purpose.
#[track_caller]
fn assert_texts_keep_apart(svg: &str) {
    let mut options = Options::default();
    let font = epaint_default_fonts::UBUNTU_LIGHT.to_vec();
    options.fontdb_mut().load_font_data(font);
    let tree = Tree::from_str(svg, &options).unwrap();
    let sheet = tree.size().to_rect(0.0, 0.0).unwrap();
    let mut texts: Vec<(String, Rect)> = Vec::new();
    collect_texts(tree.root().children(), &mut texts);
    texts.retain(|(text, _)| !STAMPS.contains(&text.trim()));
    assert!(texts.len() > 8, "few texts in {svg}");
    for (number, (text, place)) in texts.iter().enumerate() {
        let inside = place.left() >= sheet.left()
            && place.top() >= sheet.top()
            && place.right() <= sheet.right()
            && place.bottom() <= sheet.bottom();
        assert!(inside, "'{text}' leaves the sheet: {place:?}");
        for (other, its_place) in &texts[..number] {
            let apart = place.right() <= its_place.left()
                || its_place.right() <= place.left()
                || place.bottom() <= its_place.top()
                || its_place.bottom() <= place.top();
            assert!(
                apart,
                "'{text}' runs into '{other}': {place:?}, {its_place:?}"
            );
        }
    }
}

/// The ink of every text, with its words.
fn collect_texts(nodes: &[Node], texts: &mut Vec<(String, Rect)>) {
    for node in nodes {
        match node {
            Node::Group(group) => collect_texts(group.children(), texts),
            Node::Text(text) => {
                let words = text.chunks().iter().map(|chunk| chunk.text()).collect();
                let ink = text.flattened().abs_bounding_box();
                texts.push((words, ink));
            }
            _ => {}
        }
    }
}
