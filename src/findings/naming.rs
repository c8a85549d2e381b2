//! What a line for a person calls a case.

use crate::record::Row;
use crate::sweep::WORKING_SET;
use crate::units::readable;

/// A list may be thousands of characters long; a line for a person shows so many, and files have all of it.
pub const SPEC_CHARS_MAX: usize = 60;

/// The first `most` characters of `text`, with dots where there are more.
pub fn shortened(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

/// What a line for a person calls the case of `row`: its spec, shortened, with the working set where that tells cases apart.
pub fn case_name(row: &Row) -> String {
    match row.suite == WORKING_SET {
        true => format!("{} over {}", row.spec, readable(row.footprint_bytes)),
        false => shortened(&row.spec, SPEC_CHARS_MAX),
    }
}
