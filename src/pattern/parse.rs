//! Parsing specs: `name[:argument][,key=value...]`.

use std::str::FromStr;

use super::mend::parse_or_propose;
use super::piece::{Fault, Piece, leading_number};
use super::spatter::Generator;
use super::spec::{DEFAULT_SEED, Word};
use super::{
    ADDRESS_BYTES_MAX, ElementBytes, LIST_ENTRIES_MAX, Layout, Length, Op, Pattern, Spec,
    SpecError, StructField, Tile,
};

/// The first words of all specs but those of files: what [`Spec::family`] says of what they parse to.
pub(crate) const FAMILIES: [&str; 17] = [
    "stride",
    "offset",
    "reversed",
    "interleaved",
    "permuted",
    "broadcast",
    "struct",
    "soa",
    "row",
    "column",
    "transpose",
    "mixed",
    "list",
    "random",
    "UNIFORM",
    "MS1",
    "LAPLACIAN",
];
const KEYS: [&str; 5] = ["element", "offset", "layout", "op", "tile"];

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        parse_or_propose(text, parse, |spec, _| spec.to_string())
    }
}

fn parse(text: &str) -> Result<Spec, Fault> {
    let text = Piece::new(text);
    let head = text.part(0..head_end(text.text));
    let pattern_is_file = head.text.starts_with('@');
    let keys = parse_keys(text.part(head.text.len()..text.text.len()));

    // Lengths in elements need the element's width; a fault further to the left is still reported first.
    let default_element = if pattern_is_file {
        ElementBytes::B8
    } else {
        ElementBytes::B4
    };
    let element = keys
        .as_ref()
        .ok()
        .and_then(|keys| keys.element)
        .unwrap_or(default_element);
    let mut pattern = parse_pattern(head, element)?;
    let keys = keys?;
    refuse_useless(&pattern, &keys)?;
    if let (Pattern::Transpose { tile, .. }, Some(meant)) = (&mut pattern, keys.tile) {
        *tile = meant;
    }
    let spec = Spec::new(pattern);
    Ok(Spec {
        element,
        offset_bytes: match keys.offset {
            Some(offset) => length(offset, element, false)?.magnitude_bytes(element),
            None => 0,
        },
        layout: keys.layout.unwrap_or(spec.layout),
        op: keys.op.unwrap_or(spec.op),
        pattern: spec.pattern,
    })
}

/// Where the pattern ends: at the first comma, except that lists, `MS1` and paths contain commas and go on to a `key=`.
fn head_end(text: &str) -> usize {
    let has_commas = ["list:", "MS1:", "@"]
        .iter()
        .any(|start| text.starts_with(start));
    let begins_keys =
        |rest: &str| match rest.split(',').next().and_then(|part| part.split_once('=')) {
            // A path may contain `=` too.
            Some((key, _)) => KEYS.contains(&key) || !text.starts_with('@'),
            None => false,
        };
    text.match_indices(',')
        .map(|(at, _)| at)
        .find(|at| !has_commas || begins_keys(&text[at + 1..]))
        .unwrap_or(text.len())
}

/// The keys of a spec as typed.
#[derive(Default)]
struct Keys<'a> {
    element: Option<ElementBytes>,
    offset: Option<Piece<'a>>,
    layout: Option<Layout>,
    op: Option<Op>,
    tile: Option<Tile>,
    all: Vec<Piece<'a>>,
}

/// Parses `,key=value,key=value`, or nothing.
fn parse_keys(text: Piece<'_>) -> Result<Keys<'_>, Fault> {
    let mut keys = Keys::default();
    for part in text.split(',').skip(1) {
        let Some((key, value)) = part.split_once('=') else {
            let expected = "a key and its value such as element=8B";
            return Err(without(part, expected));
        };
        let seen = keys
            .all
            .iter()
            .any(|earlier| earlier.text.split('=').next() == Some(key.text));
        match key.text {
            _ if seen => return Err(without(part, "each key only once")),
            "element" => keys.element = Some(word(value)?),
            "layout" => keys.layout = Some(word(value)?),
            "op" => keys.op = Some(word(value)?),
            "tile" => keys.tile = Some(word(value)?),
            "offset" => keys.offset = Some(value),
            _ => {
                let expected = format!("a key ({})", KEYS.join(", "));
                return Err(key.fault(expected, closest(key.text, KEYS)));
            }
        }
        keys.all.push(part);
    }
    Ok(keys)
}

/// A fault at a part that is mended by taking it and the comma before it away.
pub(crate) fn without(part: Piece<'_>, expected: impl Into<String>) -> Fault {
    Fault {
        mended: part.start - 1..part.range().end,
        ..part.fault(expected, "")
    }
}

/// Refuses keys that the pattern would silently ignore.
fn refuse_useless(pattern: &Pattern, keys: &Keys<'_>) -> Result<(), Fault> {
    let meant: &[&str] = match pattern {
        Pattern::File { .. } => &["element"],
        Pattern::Random { .. } => &["element", "op"],
        Pattern::Transpose { .. } => &["element", "offset", "layout", "tile"],
        _ => &["element", "offset", "layout", "op"],
    };
    for key in &keys.all {
        let name = key.text.split('=').next().unwrap_or("");
        if !meant.contains(&name) {
            let expected = format!("no {name} with {}", pattern.family());
            return Err(without(*key, expected));
        }
    }
    Ok(())
}

fn parse_pattern(head: Piece<'_>, element: ElementBytes) -> Result<Pattern, Fault> {
    if head.text.starts_with('@') {
        return file(head.part(1..head.text.len()));
    }
    let (name, argument) = match head.split_once(':') {
        Some((name, argument)) => (name, Some(argument)),
        None => (head, None),
    };
    let required = |what: &str, sample: &str| {
        argument.ok_or_else(|| name.missing(format!("':' and {what}"), format!(":{sample}")))
    };
    let width = || {
        const WHAT: &str = "a whole number of elements in a row";
        required(WHAT, "1024")?.whole_number(WHAT, 1..=ADDRESS_BYTES_MAX, 1024)
    };
    let seed = || match argument {
        Some(argument) => {
            argument.whole_number("a whole number as seed", 0..=u64::MAX, DEFAULT_SEED)
        }
        None => Ok(DEFAULT_SEED),
    };
    let pattern = match name.text {
        "stride" => Pattern::Stride(length(required(ELEMENTS, "1")?, element, true)?),
        "offset" => Pattern::Offset(length(required(ELEMENTS, "1")?, element, false)?),
        "struct" => structure(required("the size of a struct", "12B")?, element)?,
        "list" => Pattern::List(list(required("element indexes", "0")?)?),
        "row" => Pattern::Row { width: width()? },
        "column" => Pattern::Column { width: width()? },
        "transpose" => Pattern::Transpose {
            width: width()?,
            tile: Tile::None,
        },
        "interleaved" => {
            const WHAT: &str = "a whole number of runs";
            let runs = required(WHAT, "2")?.whole_number(WHAT, 1..=u64::MAX, 2)?;
            Pattern::Interleaved { runs }
        }
        "permuted" => Pattern::Permuted { seed: seed()? },
        "random" => Pattern::Random { seed: seed()? },
        "UNIFORM" | "MS1" | "LAPLACIAN" => Pattern::Generated(Generator::parse(head)?),
        "reversed" => Pattern::Reversed,
        "broadcast" => Pattern::Broadcast,
        "soa" => Pattern::Soa,
        "mixed" => Pattern::Mixed,
        _ => {
            let expected = format!("a pattern ({} or @FILE)", FAMILIES.join(", "));
            return Err(name.fault(expected, closest(name.text, FAMILIES)));
        }
    };
    let takes_none = matches!(
        pattern,
        Pattern::Reversed | Pattern::Broadcast | Pattern::Soa | Pattern::Mixed
    );
    if takes_none && name.text.len() < head.text.len() {
        let rest = head.part(name.text.len()..head.text.len());
        return Err(rest.fault(format!("nothing after '{}'", name.text), ""));
    }
    Ok(pattern)
}

const ELEMENTS: &str = "a whole number of elements";

/// `8B` is bytes, a bare number elements; negative only where `signed`.
fn length(piece: Piece<'_>, element: ElementBytes, signed: bool) -> Result<Length, Fault> {
    let what = match (piece.text.ends_with('B'), signed) {
        (true, _) => "a whole number of bytes",
        (false, true) => ELEMENTS,
        (false, false) => "a whole number of elements without sign",
    };
    let (amount, in_bytes) = piece.quantity(what, signed)?;
    Ok(if in_bytes {
        Length::from_bytes(amount, element)
    } else {
        Length::Elements(amount)
    })
}

/// `PATH` or `PATH#CONFIGURATION`: what stands behind the last `#` is a number if it is all digits.
fn file(piece: Piece<'_>) -> Result<Pattern, Fault> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let numbered = piece
        .text
        .rfind('#')
        .filter(|at| is_number(&piece.text[at + 1..]));
    let path = piece.part(0..numbered.unwrap_or(piece.text.len()));
    if path.text.is_empty() {
        const WHAT: &str = "the path of a file of Spatter configurations";
        return Err(path.fault(WHAT, "spatter.json"));
    }
    let config = match numbered {
        Some(at) => {
            const WHAT: &str = "the number of a configuration";
            let number = piece.part(at + 1..piece.text.len());
            // Digits alone, so that only their number can be at fault.
            let number = number.whole_number(WHAT, 0..=u64::from(u32::MAX), 0)?;
            Some(usize::try_from(number).unwrap_or(usize::MAX))
        }
        None => None,
    };
    Ok(Pattern::File {
        path: path.text.to_owned(),
        config,
    })
}

/// `SB+all`: every element of the struct.
fn whole_struct(size: Piece<'_>, element: ElementBytes) -> Result<Pattern, Fault> {
    let element_bytes = u64::from(element.bytes());
    let struct_bytes = length(size, element, false)?.magnitude_bytes(element);
    if struct_bytes == 0 || !struct_bytes.is_multiple_of(element_bytes) {
        let nearest = struct_bytes.saturating_add(element_bytes / 2) / element_bytes;
        let nearest_bytes = nearest.max(1) * element_bytes;
        let expected = format!("a struct of whole elements ({element})");
        return Err(size.fault(expected, format!("{nearest_bytes}B")));
    }
    Ok(Pattern::WholeStruct { struct_bytes })
}

/// `SB` or `SB+FB`, whose struct holds an element at the field's byte, or `SB+all`.
fn structure(piece: Piece<'_>, element: ElementBytes) -> Result<Pattern, Fault> {
    match piece.split_once('+') {
        Some((size, field)) if field.text == "all" => whole_struct(size, element),
        _ => Ok(Pattern::Struct(struct_field(piece, element)?)),
    }
}

/// `SB` or `SB+FB`: the struct holds an element at the field's byte.
fn struct_field(piece: Piece<'_>, element: ElementBytes) -> Result<StructField, Fault> {
    let element_bytes = u64::from(element.bytes());
    let (size, field) = match piece.split_once('+') {
        Some((size, field)) => (size, Some(field)),
        None => (piece, None),
    };
    let struct_bytes = length(size, element, false)?.magnitude_bytes(element);
    let Some(last_field_bytes) = struct_bytes.checked_sub(element_bytes) else {
        let expected = format!("a struct of at least one element ({element})");
        return Err(size.fault(expected, element.word()));
    };
    let field_bytes = match field {
        Some(field) => {
            let bytes = length(field, element, false)
                .map_err(|fault| or_all(field, fault))?
                .magnitude_bytes(element);
            if bytes > last_field_bytes {
                let expected = format!(
                    "a field that ends within the struct (at byte {last_field_bytes} or before)"
                );
                return Err(field.fault(expected, format!("{last_field_bytes}B")));
            }
            bytes
        }
        None => 0,
    };
    Ok(StructField {
        struct_bytes,
        field_bytes,
    })
}

/// The fault of a field that is no length, where the word for all fields was meant if it is like that.
fn or_all(field: Piece<'_>, fault: Fault) -> Fault {
    let expected = format!("{} or 'all'", fault.expected);
    match field.text.to_lowercase().starts_with('a') {
        true => field.fault(expected, "all"),
        false => Fault { expected, ..fault },
    }
}

fn list(piece: Piece<'_>) -> Result<Vec<u64>, Fault> {
    let mut indices = Vec::new();
    for entry in piece.split(',') {
        if indices.len() as u64 == LIST_ENTRIES_MAX {
            let rest = piece.part(entry.start - 1 - piece.start..piece.text.len());
            return Err(rest.fault(format!("at most {LIST_ENTRIES_MAX} indexes"), ""));
        }
        indices.push(entry.whole_number(
            "a whole number as element index",
            0..=ADDRESS_BYTES_MAX,
            0,
        )?);
    }
    Ok(indices)
}

/// One of a few words.
fn word<W: Word>(value: Piece<'_>) -> Result<W, Fault> {
    let words = || W::WORDS.iter().map(|(word, _)| *word);
    match W::WORDS.iter().find(|(word, _)| *word == value.text) {
        Some((_, value)) => Ok(*value),
        None => {
            let all: Vec<&str> = words().collect();
            let expected = format!("one of {}", all.join(", "));
            Err(value.fault(expected, closest(value.text, words())))
        }
    }
}

/// The word most like `text`; of sizes, the nearest number.
pub(crate) fn closest(text: &str, words: impl IntoIterator<Item = &'static str>) -> &'static str {
    let lower = text.to_lowercase();
    let likeness = |word: &str| match (leading_number(text), leading_number(word)) {
        (Some(typed), Some(meant)) => 1.0 / (1.0 + typed.abs_diff(meant) as f64),
        _ => strsim::jaro_winkler(&lower, &word.to_lowercase()),
    };
    let mut best = ("", -1.0);
    for word in words {
        // Strictly more alike, so that of equals the first stands.
        if likeness(word) > best.1 {
            best = (word, likeness(word));
        }
    }
    best.0
}
