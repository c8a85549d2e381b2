//! Text on a chart: made printable, measured, shortened and wrapped.

use std::sync::LazyLock;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

/// The font of every chart as CSS names it. The PNG and the measuring below use the first, which is compiled in, and never a font of
/// the system; the others, about as wide, are for a viewer of the SVG that has no Ubuntu.
pub(super) const FONT_FAMILY: &str =
    "Ubuntu, Segoe UI, Helvetica Neue, Arial, Liberation Sans, sans-serif";

/// A name longer than this is shortened before it is measured.
const NAME_MAX_CHARS: usize = 200;

/// Plotters sizes text by the line, not by the em.
pub(super) const LINE_PER_EM: f64 = 1.24;

/// Tells plotters of the compiled-in font, once; `false` where its bytes are no font.
pub(super) fn font_is_ready() -> bool {
    static READY: LazyLock<bool> = LazyLock::new(|| {
        register_font(
            FONT_FAMILY,
            FontStyle::Normal,
            epaint_default_fonts::UBUNTU_LIGHT,
        )
        .is_ok()
    });
    *READY
}

/// `text` on one line: runs of white space and control characters become one space, and what XML forbids or what would turn the
/// direction of the text around is dropped.
pub(super) fn plain(text: &str) -> String {
    let spaced: String = text
        .chars()
        .filter(|c| {
            !matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        })
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The width of `text` in pixels at a size of `size_px`. It errs wide by about a tenth, which leaves a fallback font some room.
pub(super) fn width_px(text: &str, size_px: f64) -> f64 {
    // A description that is made before the font is known stays without it.
    if font_is_ready() {
        // Measured at ten times the size, because plotters answers in whole pixels.
        let size = size_px * LINE_PER_EM * 10.0;
        let font = FontDesc::new(FontFamily::Name(FONT_FAMILY), size, FontStyle::Normal);
        if let Ok((width, _)) = font.box_size(text) {
            return f64::from(width) / 10.0;
        }
    }
    // No font to measure with: assume wide letters.
    text.chars().count() as f64 * size_px * 0.7
}

/// `text`, or as much of its beginning as fits `max_px`, then an ellipsis.
pub(super) fn shorten(text: &str, max_px: f64, size_px: f64) -> String {
    let mut kept: Vec<char> = text.chars().take(NAME_MAX_CHARS + 1).collect();
    if kept.len() <= NAME_MAX_CHARS && width_px(text, size_px) <= max_px {
        return text.to_owned();
    }
    loop {
        kept.pop();
        let mut shorter: String = kept.iter().collect::<String>().trim_end().to_owned();
        shorter.push('…');
        if kept.is_empty() || width_px(&shorter, size_px) <= max_px {
            return shorter;
        }
    }
}

/// `text` broken between words into lines of at most `max_px`; a word that is wider alone is shortened.
pub(super) fn wrap(text: &str, max_px: f64, size_px: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if width_px(&longer, size_px) <= max_px {
                *line = longer;
                continue;
            }
        }
        lines.push(shorten(word, max_px, size_px));
    }
    lines
}

/// Facts with commas between them, broken after commas before anywhere else, so that a figure keeps its unit.
pub(super) fn wrap_facts(facts: &str, max_px: f64, size_px: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts.split_inclusive(", ") {
        let longer = lines
            .last()
            .map(|line| format!("{line} {}", fact.trim_end()));
        match (longer, lines.last_mut()) {
            (Some(longer), Some(line)) if width_px(&longer, size_px) <= max_px => *line = longer,
            _ => lines.extend(wrap(fact, max_px, size_px)),
        }
    }
    lines
}

/// A spec or a name, which may have no space in it, broken into lines of at most `max_px`: after a sign where one is near the end of
/// the line, otherwise anywhere. What is longer than `lines_max` ends with an ellipsis.
pub(super) fn break_name(name: &str, max_px: f64, size_px: f64, lines_max: usize) -> Vec<String> {
    let mut rest: Vec<char> = plain(name).chars().collect();
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let text: String = rest.iter().collect();
        if lines.len() + 1 >= lines_max {
            lines.push(shorten(&text, max_px, size_px));
            break;
        }
        let fitting = (1..=rest.len())
            .take_while(|n| width_px(&rest[..*n].iter().collect::<String>(), size_px) <= max_px)
            .last()
            .unwrap_or(1);
        let sign = |c: &char| !c.is_alphanumeric() && *c != '.' && *c != '-';
        let end = match rest[..fitting].iter().rposition(sign) {
            Some(last) if fitting < rest.len() && last + 1 >= fitting / 2 => last + 1,
            _ => fitting,
        };
        let line: String = rest.drain(..end).collect();
        lines.push(line.trim().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_becomes_one_printable_line() {
        assert_eq!(
            plain("Foo,\n \"Bar\"\u{0}\u{1b}[31m <X> &\tY\u{202e}\u{ffff}"),
            "Foo, \"Bar\" [31m <X> & Y"
        );
        assert_eq!(plain(" \n "), "");
    }

    #[test]
    fn a_long_name_is_shortened_to_its_room() {
        let short = shorten(&"x".repeat(300), 120.0, 12.0);
        assert!(short.ends_with('…') && width_px(&short, 12.0) <= 120.0);
        assert_eq!(shorten("llvmpipe", 120.0, 12.0), "llvmpipe");
        assert_eq!(shorten("llvmpipe", 0.0, 12.0), "…");
    }

    #[test]
    fn a_name_breaks_after_a_sign_and_is_whole_up_to_its_last_line() {
        let spec = "list:0,7,7,8,1000,1064,1128,element=16B,layout=padded,op=copy";
        let lines = break_name(spec, 200.0, 13.5, 3);
        assert!(lines.len() > 1 && lines.iter().all(|line| width_px(line, 13.5) <= 200.0));
        assert_eq!(lines.concat(), spec);
        assert!(lines[0].ends_with(','), "{lines:?}");
        let solid = break_name(&"W".repeat(60), 100.0, 13.5, 3);
        assert!(solid.len() == 3 && solid[2].ends_with('…'), "{solid:?}");
        assert_eq!(break_name("row:8", 0.0, 13.5, 2), ["r", "…"]);
    }

    #[test]
    fn facts_are_kept_whole_where_they_fit() {
        let facts = "gather, reuse 16, footprint 512 MiB, counts 4.90 GB/s";
        let lines = wrap_facts(facts, 190.0, 13.5);
        assert_eq!(
            lines,
            [
                "gather, reuse 16,",
                "footprint 512 MiB,",
                "counts 4.90 GB/s"
            ]
        );
        assert_eq!(wrap_facts(facts, 900.0, 13.5), [facts]);
        assert!(wrap_facts("", 190.0, 13.5).is_empty());
    }

    #[test]
    fn lines_break_between_words() {
        let lines = wrap("model, 64 B transactions: B = 21.3 GB/s", 150.0, 13.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| width_px(line, 13.0) <= 150.0));
        assert_eq!(lines.join(" "), "model, 64 B transactions: B = 21.3 GB/s");
    }
}
