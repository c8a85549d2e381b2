//! Parts of a spec that know where they stand in it, and faults that know how to mend it.

use std::ops::{Range, RangeInclusive};

use super::ADDRESS_BYTES_MAX;

/// Something else was expected at a byte of the text; `replacement` in the place of a range mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(super) position: usize,
    pub(super) mended: Range<usize>,
    pub(super) expected: String,
    pub(super) replacement: String,
}

/// A part of a text, and the byte of the text at which it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

impl<'a> Piece<'a> {
    /// The whole of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, start: 0 }
    }

    /// Where the piece stands.
    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Bytes `range` of the piece.
    pub(crate) fn part(self, range: Range<usize>) -> Self {
        Self {
            start: self.start + range.start,
            text: &self.text[range],
        }
    }

    /// What stands before and after the first `separator`.
    pub(crate) fn split_once(self, separator: char) -> Option<(Self, Self)> {
        let at = self.text.find(separator)?;
        Some((self.part(0..at), self.part(at + 1..self.text.len())))
    }

    /// The parts between separators.
    pub(crate) fn split(self, separator: char) -> impl Iterator<Item = Self> + 'a {
        let mut start = self.start;
        self.text.split(separator).map(move |text| {
            let piece = Self { text, start };
            start += text.len() + 1;
            piece
        })
    }

    /// A fault that replaces this piece.
    pub(crate) fn fault(
        self,
        expected: impl Into<String>,
        replacement: impl Into<String>,
    ) -> Fault {
        Fault {
            position: self.start,
            mended: self.range(),
            expected: expected.into(),
            replacement: replacement.into(),
        }
    }

    /// A fault at the end of this piece, mended by adding to it.
    pub(crate) fn missing(self, expected: impl Into<String>, added: impl Into<String>) -> Fault {
        self.part(self.text.len()..self.text.len())
            .fault(expected, added)
    }

    /// A whole number without sign, unit or blank; a fault proposes the nearest, and `fallback` for what has no digits.
    pub(super) fn whole_number(
        self,
        what: &str,
        allowed: RangeInclusive<u64>,
        fallback: u64,
    ) -> Result<u64, Fault> {
        let plain = !self.text.is_empty() && self.text.bytes().all(|b| b.is_ascii_digit());
        let value = self.text.parse::<u64>().ok().filter(|_| plain);
        if let Some(value) = value.filter(|value| allowed.contains(value)) {
            return Ok(value);
        }
        let (least, most) = allowed.into_inner();
        let expected = match value {
            _ if !plain => what.to_owned(),
            Some(value) if value < least => format!("{what} (at least {least})"),
            _ => format!("{what} (at most {most})"),
        };
        let nearest = leading_number(self.text)
            .unwrap_or(fallback)
            .clamp(least, most);
        Err(self.fault(expected, nearest.to_string()))
    }

    /// A whole number and whether `B` for bytes follows it; negative only where `signed`. A fault leaves the unit there.
    pub(crate) fn quantity(self, what: &str, signed: bool) -> Result<(i64, bool), Fault> {
        let (sign, digits) = match self.text.strip_prefix('-') {
            Some(_) if signed => (-1, self.part(1..self.text.len())),
            _ => (1, self),
        };
        let (number, in_bytes) = match digits.text.strip_suffix('B') {
            Some(number) => (digits.part(0..number.len()), true),
            None => (digits, false),
        };
        let amount = number
            .whole_number(what, 0..=ADDRESS_BYTES_MAX, 1)
            .map_err(|fault| Fault {
                position: self.start,
                mended: self.start..fault.mended.end,
                ..fault
            })?;
        Ok((sign * amount.cast_signed(), in_bytes))
    }
}

/// The number that a text begins with, at most `u64::MAX`.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    // Digits alone fail to parse only where they are too many.
    (end > 0).then(|| text[..end].parse().unwrap_or(u64::MAX))
}
