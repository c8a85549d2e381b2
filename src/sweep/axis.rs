//! Values of an axis in place of a suite's own: `stride=1,2,4`, `stride[pow2]=0:10`, `offset=0:128:4B`.

use std::fmt;
use std::str::FromStr;

use crate::pattern::{ElementBytes, Fault, Length, Piece, SpecError, parse_or_propose};

/// Most values of an axis: more cases than anybody waits for.
const VALUES_MAX: usize = 4096;

/// The highest exponent of `[pow2]`; 2^40 elements are beyond any memory.
const EXPONENT_MAX: i64 = 40;

/// An axis and the values that it is to take.
///
/// Parsed from `name=values` or `name[pow2]=exponents`. Values are a list `1,2,4` or a range `begin:end` or
/// `begin:end:step`, whose end belongs to it where a step hits it. A number that ends in `B` is in bytes; a bare one is in
/// elements, or in bytes where the last number is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisOverride {
    /// The name as typed; whether there is such an axis is not known here.
    pub name: String,
    /// At least one and at most 4096 values, as typed: not sorted, and what is typed twice is there twice.
    pub values: Vec<AxisValue>,
}

/// A value of an axis, before it is known how large an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AxisValue {
    /// The number of units.
    pub amount: i64,
    /// Whether the unit is a byte; otherwise it is an element.
    pub in_bytes: bool,
}

impl AxisValue {
    /// The length that this is for elements of a size.
    pub fn length(self, element: ElementBytes) -> Length {
        if self.in_bytes {
            Length::from_bytes(self.amount, element)
        } else {
            Length::Elements(self.amount)
        }
    }
}

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.in_bytes { "B" } else { "" };
        write!(f, "{}{unit}", self.amount)
    }
}

impl FromStr for AxisOverride {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        // Proposed as mended, since a range is easier to read than its values.
        parse_or_propose(text, parse, |_, mended| mended.to_owned())
    }
}

fn parse(text: &str) -> Result<AxisOverride, Fault> {
    let text = Piece::new(text);
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let (name, rest) = split_at(text, text.text.find(|c| !in_name(c)));
    if name.text.is_empty() {
        return Err(name.fault("the name of an axis such as stride", "stride"));
    }
    let (scale, rest) = match rest.text.starts_with('[') {
        true => split_at(rest, rest.text.find('=')),
        false => split_at(rest, Some(0)),
    };
    if !["", "[pow2]"].contains(&scale.text) {
        return Err(scale.fault("[pow2] or '='", "[pow2]"));
    }
    if !rest.text.starts_with('=') {
        return Err(rest.fault("'=' and values such as 1,2,4 or 0:64:4", "=1"));
    }
    let values = rest.part(1..rest.text.len());
    Ok(AxisOverride {
        name: name.text.to_owned(),
        values: match scale.text {
            "" => amounts(values, numbers(values)?)?,
            _ => powers(values)?,
        },
    })
}

/// What stands before and from a byte on, the whole where there is none.
fn split_at(piece: Piece<'_>, at: Option<usize>) -> (Piece<'_>, Piece<'_>) {
    let (at, end) = (at.unwrap_or(piece.text.len()), piece.text.len());
    (piece.part(0..at), piece.part(at..end))
}

/// A value as typed.
#[derive(Clone, Copy)]
struct Number<'a> {
    piece: Piece<'a>,
    value: AxisValue,
}

impl Number<'_> {
    /// A fault that puts another amount in the number's place, with its unit.
    fn fault(self, expected: impl Into<String>, amount: i64) -> Fault {
        let nearest = AxisValue {
            amount,
            ..self.value
        };
        self.piece.fault(expected, nearest.to_string())
    }
}

/// The numbers of a list or a range, all in the unit of the last.
fn numbers(values: Piece<'_>) -> Result<Vec<Number<'_>>, Fault> {
    let separator = if is_range(values) { ':' } else { ',' };
    let mut numbers: Vec<Number<'_>> = Vec::new();
    for piece in values.split(separator) {
        if numbers.len() == VALUES_MAX {
            let (_, rest) = split_at(values, Some(piece.start - 1 - values.start));
            return Err(rest.fault(format!("at most {VALUES_MAX} values"), ""));
        }
        let (amount, in_bytes) = piece.quantity("a whole number", true)?;
        let value = AxisValue { amount, in_bytes };
        numbers.push(Number { piece, value });
    }
    let last_in_bytes = numbers.last().is_some_and(|last| last.value.in_bytes);
    for number in &mut numbers {
        if number.value.in_bytes && !last_in_bytes {
            const EXPECTED: &str = "a last number with the unit B, as one before it has";
            return Err(values.missing(EXPECTED, "B"));
        }
        number.value.in_bytes = last_in_bytes;
    }
    Ok(numbers)
}

fn is_range(values: Piece<'_>) -> bool {
    values.text.contains(':')
}

/// The values of a list, or from the begin of a range to its end.
fn amounts(values: Piece<'_>, numbers: Vec<Number<'_>>) -> Result<Vec<AxisValue>, Fault> {
    if !is_range(values) {
        return Ok(numbers.iter().map(|number| number.value).collect());
    }
    let (begin, end, step) = match numbers[..] {
        [begin, end] => (begin, end, 1),
        [begin, end, step] if step.value.amount > 0 => (begin, end, step.value.amount),
        [_, _, step] => return Err(step.fault("a step of at least 1", 1)),
        _ => {
            let second_end = numbers[2].piece.range().end - values.start;
            let (_, rest) = split_at(values, Some(second_end));
            return Err(rest.fault("nothing after begin, end and step", ""));
        }
    };
    let distance = end.value.amount - begin.value.amount;
    if distance < 0 {
        let expected = format!("an end that is not below the begin, {}", begin.value);
        return Err(end.fault(expected, begin.value.amount));
    }
    let steps_max = VALUES_MAX as i64 - 1;
    if distance / step > steps_max {
        let expected = format!("at most {VALUES_MAX} values, not {}", distance / step + 1);
        return Err(end.fault(expected, begin.value.amount + step * steps_max));
    }
    let value = |steps| AxisValue {
        amount: begin.value.amount + steps * step,
        ..begin.value
    };
    Ok((0..=distance / step).map(value).collect())
}

/// Two to the power of each value.
fn powers(values: Piece<'_>) -> Result<Vec<AxisValue>, Fault> {
    let numbers = numbers(values)?;
    let exponents = if is_range(values) { 2 } else { numbers.len() };
    for number in &numbers[..exponents] {
        let nearest = number.value.amount.clamp(0, EXPONENT_MAX);
        if nearest != number.value.amount {
            let expected = format!("an exponent from 0 to {EXPONENT_MAX}");
            return Err(number.fault(expected, nearest));
        }
    }
    let power = |exponent: AxisValue| AxisValue {
        amount: 1 << exponent.amount,
        ..exponent
    };
    Ok(amounts(values, numbers)?.into_iter().map(power).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> String {
        let axis: AxisOverride = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        let values: Vec<String> = axis.values.iter().map(AxisValue::to_string).collect();
        format!("{} {}", axis.name, values.join(" "))
    }

    fn error(text: &str) -> SpecError {
        text.parse::<AxisOverride>().expect_err(text)
    }

    #[test]
    fn lists_and_ranges_give_their_values() {
        for (text, expected) in [
            ("stride=1,2,4", "stride 1 2 4"),
            ("stride=4,-1,4", "stride 4 -1 4"),
            ("stride[pow2]=0,3,5", "stride 1 8 32"),
            ("stride[pow2]=0:4", "stride 1 2 4 8 16"),
            ("column[pow2]=0:5:2", "column 1 4 16"),
            ("stride[pow2]=40", "stride 1099511627776"),
            ("stride=-2:2", "stride -2 -1 0 1 2"),
            ("stride=0:9:4", "stride 0 4 8"),
            ("stride=0:8:4", "stride 0 4 8"),
            ("stride=7:7", "stride 7"),
            ("offset=0:12:4B", "offset 0B 4B 8B 12B"),
            ("offset=0B:12B:4B", "offset 0B 4B 8B 12B"),
            ("offset=1,2,8B", "offset 1B 2B 8B"),
            ("offset[pow2]=2:4B", "offset 4B 8B 16B"),
            ("working-set=1", "working-set 1"),
        ] {
            assert_eq!(printed(text), expected, "{text}");
        }
        let longest = printed("offset=0:16380:4");
        assert_eq!(longest.split(' ').count(), 1 + VALUES_MAX);
        assert!(longest.ends_with(" 16380"));
    }

    #[test]
    fn a_value_becomes_a_length_once_the_element_is_known() {
        let value = |amount, in_bytes| AxisValue { amount, in_bytes };
        let element = ElementBytes::B8;
        assert_eq!(value(8, true).length(element), Length::Elements(1));
        assert_eq!(value(12, true).length(element), Length::Bytes(12));
        assert_eq!(value(-3, false).length(element), Length::Elements(-3));
    }

    #[test]
    fn mistakes_name_the_place_and_the_nearest_axis() {
        let texts = [
            "",
            "=1",
            "stride",
            "stride:1:4",
            "stride=",
            "stride=1,,2",
            "stride=x",
            "stride=1.5",
            "stride=1:4,8",
            "stride=1:4:1:2",
            "stride=0:8:0",
            "offset=0:8:-2B",
            "stride=4:1",
            "offset=0B:8:2",
            "offset=4B,1",
            "stride=0:4096",
            "stride=99999999999999999999",
            "stride[pow3]=1",
            "stride[pow2",
            "stride[pow2]=-1:3",
            "stride[pow2]=0:41",
            "stride[pow2]=3,99B",
        ];
        let errors = texts.map(|text| error(text).to_string());
        insta::assert_snapshot!(errors.join("\n"), @r"
        '': expected the name of an axis such as stride at column 1; nearest valid: stride=1
        '=1': expected the name of an axis such as stride at column 1; nearest valid: stride=1
        'stride': expected '=' and values such as 1,2,4 or 0:64:4 at column 7; nearest valid: stride=1
        'stride:1:4': expected '=' and values such as 1,2,4 or 0:64:4 at column 7; nearest valid: stride=1
        'stride=': expected a whole number at column 8; nearest valid: stride=1
        'stride=1,,2': expected a whole number at column 10; nearest valid: stride=1,1,2
        'stride=x': expected a whole number at column 8; nearest valid: stride=1
        'stride=1.5': expected a whole number at column 8; nearest valid: stride=1
        'stride=1:4,8': expected a whole number at column 10; nearest valid: stride=1:4
        'stride=1:4:1:2': expected nothing after begin, end and step at column 13; nearest valid: stride=1:4:1
        'stride=0:8:0': expected a step of at least 1 at column 12; nearest valid: stride=0:8:1
        'offset=0:8:-2B': expected a step of at least 1 at column 12; nearest valid: offset=0:8:1B
        'stride=4:1': expected an end that is not below the begin, 4 at column 10; nearest valid: stride=4:4
        'offset=0B:8:2': expected a last number with the unit B, as one before it has at column 14; nearest valid: offset=0B:8:2B
        'offset=4B,1': expected a last number with the unit B, as one before it has at column 12; nearest valid: offset=4B,1B
        'stride=0:4096': expected at most 4096 values, not 4097 at column 10; nearest valid: stride=0:4095
        'stride=99999999999999999999': expected a whole number (at most 281474976710656) at column 8; nearest valid: stride=281474976710656
        'stride[pow3]=1': expected [pow2] or '=' at column 7; nearest valid: stride[pow2]=1
        'stride[pow2': expected [pow2] or '=' at column 7; nearest valid: stride[pow2]=1
        'stride[pow2]=-1:3': expected an exponent from 0 to 40 at column 14; nearest valid: stride[pow2]=0:3
        'stride[pow2]=0:41': expected an exponent from 0 to 40 at column 16; nearest valid: stride[pow2]=0:40
        'stride[pow2]=3,99B': expected an exponent from 0 to 40 at column 16; nearest valid: stride[pow2]=3,40B
        ");
    }

    #[test]
    fn a_list_may_be_no_longer_than_a_range() {
        let list = |values: usize| format!("stride=1{}", ",1".repeat(values - 1));
        assert!(list(VALUES_MAX).parse::<AxisOverride>().is_ok());
        let error = error(&list(VALUES_MAX + 1));
        assert_eq!(error.expected, "at most 4096 values");
        assert_eq!(error.position, list(VALUES_MAX).len());
    }

    proptest::proptest! {
        #[test]
        fn what_is_proposed_is_valid(text in "[a-z]{0,3}(\\[pow2\\])?[=:]?[0-9,:B-]{0,12}[é ]?") {
            if let Err(error) = text.parse::<AxisOverride>() {
                proptest::prop_assert!(error.position <= text.len());
                if let Some(nearest) = error.nearest {
                    proptest::prop_assert!(nearest.parse::<AxisOverride>().is_ok(), "{}", nearest);
                }
            }
        }
    }
}
