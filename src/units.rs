//! Quantities with their units: byte counts, bandwidths and durations, parsed from and printed for people.
//!
//! GB is 10^9 bytes, always; binary sizes are KiB, MiB and GiB.

use std::fmt;
use std::str::FromStr;

/// Bytes in one GB (10^9), the unit of every bandwidth this program prints.
pub const BYTES_PER_GB: f64 = 1e9;

const TIME_UNITS: [(&str, u64); 4] = [
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1000),
    ("ns", 1),
];

const BINARY_UNITS: [(&str, u64); 5] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// A byte count; parses `64MiB`, `1.5GiB`, `8B`, and prints the largest binary unit that divides it exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// A rate in bytes per second; parses `900GB/s`, `1.2TB/s`, `500MB/s`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct BytesPerSecond(pub f64);

/// A duration in nanoseconds; parses `250ns`, `2.5us`, `1ms`, `10s`, and prints the largest unit that divides it exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanoseconds(pub u64);

/// A share in percent; parses `3%` and `0.5%`, and prints the same.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Percent(pub f64);

/// A text that is not a quantity of the wanted unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not {expected}")]
pub struct QuantityError {
    text: String,
    expected: &'static str,
}

impl FromStr for Bytes {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let refuse = || QuantityError {
            text: text.to_owned(),
            expected: "a size in bytes such as 64MiB, 1.5GiB or 512B",
        };
        parse_whole(text, &BINARY_UNITS)
            .map(Self)
            .ok_or_else(refuse)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&print_whole(self.0, &BINARY_UNITS))
    }
}

impl FromStr for Nanoseconds {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let refuse = || QuantityError {
            text: text.to_owned(),
            expected: "a duration such as 2us or 250ns",
        };
        parse_whole(text, &TIME_UNITS).map(Self).ok_or_else(refuse)
    }
}

impl fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&print_whole(self.0, &TIME_UNITS))
    }
}

impl Percent {
    /// The same as a share, 1 for all.
    pub fn share(self) -> f64 {
        self.0 / 100.0
    }
}

impl FromStr for Percent {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let refuse = || QuantityError {
            text: text.to_owned(),
            expected: "a share such as 3%",
        };
        let number = text.strip_suffix('%').ok_or_else(refuse)?;
        parse_decimal(number).map(Self).ok_or_else(refuse)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.0))
    }
}

impl BytesPerSecond {
    /// The rate of `bytes` in `ns` nanoseconds; `None` where no time passed.
    pub fn from_bytes_over_ns(bytes: f64, ns: f64) -> Option<Self> {
        (ns > 0.0 && ns.is_finite()).then(|| Self(bytes / ns * 1e9))
    }

    /// The rate in GB/s.
    pub fn gb_per_s(self) -> f64 {
        self.0 / BYTES_PER_GB
    }

    /// The rate as it is parsed, with every digit: `900GB/s`.
    pub fn spelled(self) -> String {
        format!("{}GB/s", self.gb_per_s())
    }
}

impl FromStr for BytesPerSecond {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let refuse = || QuantityError {
            text: text.to_owned(),
            expected: "a bandwidth such as 900GB/s",
        };
        let (number, unit) = split_unit(text);
        let scale = match unit {
            "TB/s" => 1e12,
            "GB/s" => 1e9,
            "MB/s" => 1e6,
            _ => return Err(refuse()),
        };
        // To whole bytes, so that what is spelled is parsed to the same.
        match parse_decimal(number).map(|value| (value * scale).round()) {
            Some(value) if value > 0.0 => Ok(Self(value)),
            _ => Err(refuse()),
        }
    }
}

impl fmt::Display for BytesPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} GB/s", significant(self.gb_per_s())))
    }
}

/// `value` with three significant digits and no exponent, as tables and charts print a measured figure.
pub fn significant(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude >= 100.0 || magnitude == 0.0 {
        format!("{value:.0}")
    } else {
        let leading = magnitude.log10().floor() as i32;
        let decimals = usize::try_from(2 - leading).unwrap_or(0).min(9);
        format!("{value:.decimals$}")
    }
}

/// A size in bytes for reading, as `256 KiB` or `3.05 GiB`: the largest unit of which it is one or more, to three digits.
pub fn readable(bytes: u64) -> String {
    let (unit, scale) = BINARY_UNITS
        .iter()
        .find(|(_, scale)| bytes >= *scale)
        .unwrap_or(&("B", 1));
    if bytes.is_multiple_of(*scale) {
        return format!("{} {unit}", bytes / scale);
    }
    let text = significant(bytes as f64 / *scale as f64);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text} {unit}")
}

/// The whole number of the smallest unit that a text like `1.5GiB` names.
fn parse_whole(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = split_unit(text);
    let (_, scale) = units.iter().find(|(name, _)| *name == unit)?;
    let value = parse_decimal(number)? * *scale as f64;
    // Beyond 2^53 an f64 no longer names every one; a fraction of a byte is no size at all.
    (value.fract() == 0.0 && value <= (1_u64 << 53) as f64).then_some(value as u64)
}

/// `value` in the first of `units`, the smallest last, that divides it.
fn print_whole(value: u64, units: &[(&str, u64)]) -> String {
    let dividing = units
        .iter()
        .find(|(_, scale)| value >= *scale && value.is_multiple_of(*scale));
    match dividing.or(units.last()) {
        Some((unit, scale)) => format!("{}{unit}", value / scale),
        None => value.to_string(),
    }
}

/// Splits `1.5GiB` where the unit begins.
fn split_unit(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// A plain decimal: digits with at most one point, so no sign, exponent, `inf` or comma.
fn parse_decimal(text: &str) -> Option<f64> {
    let plain = !text.is_empty()
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    plain.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_and_print() {
        for (text, bytes) in [
            ("8B", 8),
            ("64MiB", 64 << 20),
            ("1GiB", 1 << 30),
            ("512KiB", 512 << 10),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)));
            assert_eq!(Bytes(bytes).to_string(), text);
        }
        assert_eq!("1.5GiB".parse(), Ok(Bytes(3 << 29)));
        assert_eq!(Bytes(3 << 29).to_string(), "1536MiB");
    }

    #[test]
    fn wrong_sizes_are_refused() {
        for text in [
            "",
            "8",
            "1,5GiB",
            "-1B",
            "1e3B",
            "0.3B",
            "infGiB",
            "9999999TiB",
            "64mb",
            "1.2.3MiB",
            ".5GiB",
        ] {
            assert!(text.parse::<Bytes>().is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn bandwidths_use_powers_of_ten() {
        assert_eq!("2000GB/s".parse(), Ok(BytesPerSecond(2e12)));
        assert_eq!("1.5TB/s".parse(), Ok(BytesPerSecond(1.5e12)));
        assert!("0GB/s".parse::<BytesPerSecond>().is_err());
        assert!("2000GiB/s".parse::<BytesPerSecond>().is_err());
    }

    #[test]
    fn durations_and_shares_parse_and_print() {
        for (text, ns) in [("250ns", 250), ("2us", 2000), ("0s", 0), ("3ms", 3_000_000)] {
            assert_eq!(text.parse(), Ok(Nanoseconds(ns)));
        }
        assert_eq!("2.5us".parse(), Ok(Nanoseconds(2500)));
        assert_eq!(Nanoseconds(2500).to_string(), "2500ns");
        assert_eq!(Nanoseconds(4_000_000).to_string(), "4ms");
        assert_eq!("0.5%".parse(), Ok(Percent(0.5)));
        assert_eq!(Percent(7.0).to_string(), "7%");
        assert!((Percent(7.0).share() - 0.07).abs() < 1e-12);
        for text in ["", "2", "0.5ns", "-1us", "1min"] {
            assert!(text.parse::<Nanoseconds>().is_err(), "{text} was accepted");
        }
        for text in ["", "3", "-3%", "1e2%", "NaN%"] {
            assert!(text.parse::<Percent>().is_err(), "{text} was accepted");
        }
    }

    #[test]
    fn bandwidths_are_spelled_as_they_are_parsed() {
        for text in ["900GB/s", "0.1GB/s", "1234.5GB/s"] {
            assert_eq!(
                text.parse().map(BytesPerSecond::spelled),
                Ok(text.to_owned())
            );
        }
    }

    #[test]
    fn three_significant_digits_without_exponent() {
        let texts = [1234.6, 98.76, 5.0, 0.01234, 0.0].map(significant);
        assert_eq!(texts, ["1235", "98.8", "5.00", "0.0123", "0"]);
    }

    #[test]
    fn sizes_are_readable_to_three_digits() {
        let sizes = [512, 256 << 10, 3 << 29, 3_270_246_400, 832 << 10, 0];
        assert_eq!(
            sizes.map(readable),
            ["512 B", "256 KiB", "1.5 GiB", "3.05 GiB", "832 KiB", "0 B"]
        );
    }

    #[test]
    fn a_rate_needs_time() {
        assert_eq!(BytesPerSecond::from_bytes_over_ns(1e9, 0.0), None);
        assert_eq!(BytesPerSecond::from_bytes_over_ns(1e9, -1.0), None);
        assert_eq!(
            BytesPerSecond::from_bytes_over_ns(1e9, 1e9),
            Some(BytesPerSecond(1e9))
        );
    }
}
