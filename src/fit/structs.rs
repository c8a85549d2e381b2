//! What one field of an array of structs costs, against the field as an array of its own.

use crate::model::Ceiling;
use crate::record::Row;
use crate::stats::median;
use crate::units::{BYTES_PER_GB, BytesPerSecond};

use super::{Ratio, fetch_plateau_gb_per_s, is_trusted, issue_ceiling_gb_per_s, trusted_gb_per_s};

/// The index of 64 bytes among the transaction sizes.
const AT_64_BYTES: usize = 1;

/// What was found for the structs of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructLine {
    /// Size of the struct.
    pub struct_bytes: u64,
    /// Width of a field in bytes.
    pub element_bytes: u32,
    /// How many of its fields have a row.
    pub fields: usize,
    /// Bytes fetched for each byte used, by transactions of 64 bytes; `None` where it was not counted.
    pub fetched_over_used: Option<f64>,
    /// The field as an array of its own over the field in the struct, both measured; `None` where either is not trusted.
    pub loss: Option<Loss>,
    /// Share of the time that a structure of arrays saves, in percent, if fetching alone limits.
    pub saved_by_traffic_percent: Option<f64>,
    /// The same by min(C, B * efficiency), since where issuing limits, less traffic saves nothing.
    pub saved_predicted_percent: Option<f64>,
    /// The same as measured, at the median field; negative where the struct is faster.
    pub saved_measured_percent: Option<f64>,
    /// Useful bandwidth in GB/s of reading every field.
    pub all_fields_gb_per_s: Option<f64>,
}

/// A factor over the fields of a struct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The median over the fields.
    pub median: f64,
    /// The smallest.
    pub lowest: f64,
    /// The largest.
    pub highest: f64,
}

/// Whether `row` reads one field of a struct.
pub fn is_field(row: &Row) -> bool {
    row.struct_bytes.is_some() && row.field_bytes.is_some()
}

/// Whether `row` reads every field of a struct.
pub fn is_whole_struct(row: &Row) -> bool {
    row.struct_bytes.is_some() && row.field_bytes.is_none()
}

/// Whether `row` reads the field as an array of its own.
pub fn is_array_alone(row: &Row) -> bool {
    row.pattern == "soa"
}

/// One line for each size of struct and width of field, by rising size.
pub fn struct_table(rows: &[&Row]) -> Vec<StructLine> {
    let fields = rows.iter().filter(|row| is_field(row));
    let mut keys: Vec<(u32, u64)> = fields
        .filter_map(|row| Some((row.element_bytes, row.struct_bytes?)))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .map(|(element_bytes, struct_bytes)| line(rows, element_bytes, struct_bytes))
        .collect()
}

fn line(rows: &[&Row], element_bytes: u32, struct_bytes: u64) -> StructLine {
    let of_width: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.element_bytes == element_bytes)
        .collect();
    let fields: Vec<&Row> = of_width
        .iter()
        .copied()
        .filter(|row| is_field(row) && row.struct_bytes == Some(struct_bytes))
        .collect();
    let alone = of_width
        .iter()
        .copied()
        .find(|row| is_array_alone(row) && is_trusted(row.status));
    let loss = alone.and_then(|alone| loss(alone, &fields));
    let efficiency = mean_efficiency(&fields);
    let whole = of_width.iter().find(|row| {
        is_whole_struct(row)
            && row.struct_bytes == Some(struct_bytes)
            && trusted_gb_per_s(row).is_some()
    });
    StructLine {
        struct_bytes,
        element_bytes,
        fields: fields.len(),
        fetched_over_used: efficiency.map(|eta| 1.0 / eta),
        loss,
        saved_by_traffic_percent: efficiency.map(|eta| 100.0 * (1.0 - eta)),
        saved_predicted_percent: efficiency.and_then(|eta| saved_by_model(&of_width, eta)),
        saved_measured_percent: loss.map(|loss| 100.0 * (1.0 - 1.0 / loss.median)),
        all_fields_gb_per_s: whole.and_then(|row| trusted_gb_per_s(row)),
    }
}

fn loss(alone: &Row, fields: &[&Row]) -> Option<Loss> {
    let trusted = fields.iter().filter(|field| is_trusted(field.status));
    let factors: Vec<f64> = trusted
        .filter_map(|field| Ratio::of(alone, field))
        .map(|ratio| ratio.value)
        .collect();
    Some(Loss {
        median: median(&factors)?,
        lowest: factors.iter().copied().reduce(f64::min)?,
        highest: factors.iter().copied().reduce(f64::max)?,
    })
}

/// Fields at different places in the struct may lie in different numbers of blocks.
fn mean_efficiency(fields: &[&Row]) -> Option<f64> {
    let counted: Vec<f64> = fields
        .iter()
        .map(|field| field.efficiency_compulsory_64b)
        .filter(|eta| *eta > 0.0)
        .collect();
    let fetched_over_used: f64 = counted.iter().map(|eta| 1.0 / eta).sum();
    (!counted.is_empty()).then(|| counted.len() as f64 / fetched_over_used)
}

/// The time that efficiency 1 saves against `efficiency`, in percent, with B and C as the rows of this width show them.
fn saved_by_model(rows: &[&Row], efficiency: f64) -> Option<f64> {
    let fields: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| !is_whole_struct(row))
        .collect();
    let rate = |gb_per_s: f64| BytesPerSecond(gb_per_s * BYTES_PER_GB);
    let ceiling = Ceiling {
        fetch: rate(fetch_plateau_gb_per_s(&fields, AT_64_BYTES)?),
        issue: issue_ceiling_gb_per_s(&fields).map(rate),
    };
    let share = ceiling.useful(efficiency, 1.0).0 / ceiling.useful(1.0, 1.0).0;
    Some(100.0 * (1.0 - share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    /// A field of a struct; `None` is the field alone.
    fn row(struct_bytes: Option<u64>, field_bytes: Option<u64>, useful: f64) -> Row {
        let efficiency = match field_bytes {
            Some(_) => 4.0 / struct_bytes.unwrap_or(4) as f64,
            None => 1.0,
        };
        Row {
            pattern: if struct_bytes.is_some() {
                "struct"
            } else {
                "soa"
            }
            .to_owned(),
            struct_bytes,
            field_bytes,
            element_bytes: 4,
            status: Status::Ok,
            reuse: 1.0,
            efficiency_compulsory_64b: efficiency,
            useful_gb_per_s: Some(useful),
            fetched_gb_per_s_64b: Some(useful / efficiency),
            ..Row::default()
        }
    }

    #[test]
    fn a_line_says_what_is_fetched_lost_and_saved() {
        let mut rows = [
            row(None, None, 8.0),
            row(Some(16), Some(0), 4.0),
            row(Some(16), Some(4), 4.0),
            row(Some(16), Some(8), 3.2),
            row(Some(16), Some(12), 9.0),
            row(Some(16), None, 15.0),
            row(Some(8), Some(0), 8.0),
        ];
        rows[4].status = Status::OverPeak;
        let table = struct_table(&rows.iter().collect::<Vec<_>>());
        assert_eq!(
            (table[0].struct_bytes, table[0].saved_predicted_percent),
            (8, Some(0.0)),
            "issue limits both: B * 1/2 is C"
        );
        let line = table[1];
        assert_eq!((line.struct_bytes, line.fields), (16, 4));
        assert_eq!(line.fetched_over_used, Some(4.0));
        assert_eq!(
            line.loss,
            Some(Loss {
                median: 2.0,
                lowest: 2.0,
                highest: 2.5
            })
        );
        assert_eq!(line.saved_by_traffic_percent, Some(75.0));
        // B is 16 GB/s and C is 8: a quarter of B is half of C.
        assert_eq!(line.saved_predicted_percent, Some(50.0));
        assert_eq!(line.saved_measured_percent, Some(50.0));
        assert_eq!(line.all_fields_gb_per_s, Some(15.0));
    }

    #[test]
    fn without_the_array_alone_there_is_no_loss() {
        let row = row(Some(16), Some(0), 4.0);
        let table = struct_table(&[&row]);
        assert_eq!(
            (table[0].loss, table[0].saved_measured_percent),
            (None, None)
        );
        assert_eq!(struct_table(&[]), []);
    }
}
