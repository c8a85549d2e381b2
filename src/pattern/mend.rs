//! Answering a text that is wrong with the nearest one that is right.

use super::SpecError;
use super::piece::Fault;

/// Faults that are mended one after another to find the nearest valid text.
const MENDS_MAX: usize = 8;

/// A proposal longer than a line or two helps nobody.
const NEAREST_BYTES_MAX: usize = 200;

/// What `parse` makes of a text, its fault made an error that proposes a valid text, as `print` spells it.
///
/// `print` gets what was parsed and the text that it was parsed from.
pub(crate) fn parse_or_propose<T>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, Fault>,
    print: impl Fn(T, &str) -> String,
) -> Result<T, SpecError> {
    parse(text).map_err(|fault| SpecError {
        spec: text.to_owned(),
        position: fault.position,
        nearest: nearest(text, &fault, |text| {
            parse(text).map(|parsed| print(parsed, text))
        }),
        expected: fault.expected,
    })
}

/// Mends fault after fault until the text is valid; `None` for texts too long to read.
fn nearest(
    text: &str,
    fault: &Fault,
    canonical: impl Fn(&str) -> Result<String, Fault>,
) -> Option<String> {
    let (mut text, mut fault) = (text.to_owned(), fault.clone());
    for _ in 0..MENDS_MAX {
        text.replace_range(fault.mended, &fault.replacement);
        match canonical(&text) {
            Ok(valid) => return Some(valid).filter(|text| text.len() <= NEAREST_BYTES_MAX),
            Err(next) => fault = next,
        }
    }
    None
}
