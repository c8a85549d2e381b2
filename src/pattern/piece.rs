//! Parts of a spec that know where they stand in it, and faults that know how to mend it.

use std::ops::{Range, RangeInclusive};

/// Something else was expected at a byte of the text; `replacement` in the place of a range mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) position: usize,
    pub(super) mended: Range<usize>,
    pub(super) expected: String,
    pub(super) replacement: String,
}

/// A part of a text, and the byte of the text at which it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
}

impl<'a> Piece<'a> {
    /// The whole of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, start: 0 }
    }

    /// Where the piece stands.
    pub(super) fn range(self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Bytes `range` of the piece.
    pub(super) fn part(self, range: Range<usize>) -> Self {
        Self {
            start: self.start + range.start,
            text: &self.text[range],
        }
    }

    /// What stands before and after the first `separator`.
    pub(super) fn split_once(self, separator: char) -> Option<(Self, Self)> {
        let at = self.text.find(separator)?;
        Some((self.part(0..at), self.part(at + 1..self.text.len())))
    }

    /// The parts between separators.
    pub(super) fn split(self, separator: char) -> impl Iterator<Item = Self> + 'a {
        let mut start = self.start;
        self.text.split(separator).map(move |text| {
            let piece = Self { text, start };
            start += text.len() + 1;
            piece
        })
    }

    /// A fault that replaces this piece.
    pub(super) fn fault(
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
    pub(super) fn missing(self, expected: impl Into<String>, added: impl Into<String>) -> Fault {
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
}

/// The number that a text begins with, at most `u64::MAX`.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    // Digits alone fail to parse only where they are too many.
    (end > 0).then(|| text[..end].parse().unwrap_or(u64::MAX))
}
