//! Made-up rows of the suites that compare patterns by name.

use coalescope::record::{Row, Status};

use crate::rows::row;

/// An order of lanes: it touches what forward touches, but for the broadcast.
pub(crate) fn order(spec: &str, useful_gb_per_s: Option<f64>) -> Row {
    let broadcast = spec.starts_with("broadcast");
    let efficiency = if broadcast { [0.125; 3] } else { [1.0; 3] };
    let mut row = row("order", spec, efficiency, useful_gb_per_s);
    let pattern = spec.split([':', ',']).next().unwrap_or_default();
    row.pattern = pattern.to_owned();
    row.stride_elements = (pattern == "stride").then_some(1);
    if broadcast {
        row.reuse = 8.0;
        row.requested_gb_per_s = useful_gb_per_s.map(|useful| useful * 8.0);
    }
    row
}

/// Most orders within noise of forward, one of them not.
pub(crate) fn order_suite() -> Vec<Row> {
    let mut rows: Vec<Row> = [
        ("stride:1", 4.93),
        ("reversed", 4.88),
        ("permuted", 4.97),
        ("permuted:2", 4.31),
        ("permuted:3", 5.02),
        ("interleaved:2", 4.95),
        ("interleaved:4", 4.71),
        ("interleaved:8", 4.9),
        ("broadcast", 0.62),
    ]
    .map(|(spec, useful)| order(spec, Some(useful)))
    .into();
    rows[6].status = Status::Noisy;
    rows[6].useful_low_gb_per_s = Some(4.2);
    rows[6].useful_high_gb_per_s = Some(5.2);
    rows
}

/// A row that the model counts as (unshared, compulsory) at every size of transaction, on a memory that fetches 22 GB/s.
pub(crate) fn banded(
    suite: &str,
    spec: &str,
    (unshared, compulsory): (f64, f64),
    useful_gb_per_s: Option<f64>,
) -> Row {
    let mut row = row(suite, spec, [compulsory; 3], useful_gb_per_s);
    [
        row.efficiency_unshared_32b,
        row.efficiency_unshared_64b,
        row.efficiency_unshared_128b,
    ] = [unshared; 3];
    row.pattern = spec.split([':', ',']).next().unwrap_or_default().to_owned();
    row.fetch_plateau_gb_per_s = Some(22.0);
    row
}

/// A matrix that is a power of two wide, where the column walk finds nothing in cache, and one that is not, where it does.
pub(crate) fn matrix_suite() -> Vec<Row> {
    let of = |width: u64, (column, naive, tiled, padded): (f64, f64, f64, f64)| {
        let case = |pattern: &str, keys: &str, efficiency, useful| {
            let spec = format!("{pattern}:{width}{keys}");
            let mut row = banded("matrix", &spec, efficiency, Some(useful));
            row.matrix_width = Some(width);
            row.tile = keys.strip_prefix(",tile=").unwrap_or_default().to_owned();
            row.op = match (pattern, keys) {
                ("transpose", _) | (_, ",op=copy") => "copy",
                _ => "load",
            }
            .to_owned();
            row
        };
        [
            case("row", "", (1.0, 1.0), 5.2),
            case("column", "", (0.0625, 1.0), column),
            case("row", ",op=copy", (1.0, 1.0), 6.4),
            case("transpose", "", (0.118, 1.0), naive),
            case("transpose", ",tile=plain", (1.0, 1.0), tiled),
            case("transpose", ",tile=padded", (1.0, 1.0), padded),
        ]
    };
    let powers = of(4096, (0.93, 1.1, 1.6, 1.55));
    let others = of(4000, (3.9, 4.2, 4.1, 4.4));
    powers.into_iter().chain(others).collect()
}

/// Half scattered, listed and random addresses, of two widths.
pub(crate) fn mixed_suite() -> Vec<Row> {
    let of = |element_bytes: u32| {
        let key = if element_bytes == 4 {
            ""
        } else {
            ",element=16B"
        };
        let wide = f64::from(element_bytes) / 4.0;
        [
            ("mixed", (0.12, 0.12), 1.9),
            ("list:0,7,7,8", (0.25, 0.5), 2.6),
            (
                "list:0,1,2,3,64,65,66,67,128,129,130,131,192,193",
                (0.5, 0.5),
                3.1,
            ),
            ("random", (0.0625, 1.0), 1.05),
        ]
        .map(|(pattern, (unshared, compulsory), useful)| {
            let efficiency = (
                f64::min(1.0, unshared * wide),
                f64::min(1.0, compulsory * wide),
            );
            let spec = format!("{pattern}{key}");
            let mut row = banded("mixed", &spec, efficiency, Some(useful * wide.sqrt()));
            row.element_bytes = element_bytes;
            row.bytes_requested = 1 << 29;
            row.bytes_used = 1 << 29;
            row.index_bytes_requested = (1 << 31) / u64::from(element_bytes);
            row
        })
    };
    of(4).into_iter().chain(of(16)).collect()
}

/// Configurations that touch each byte once, and some that come back to few bytes.
pub(crate) fn gather_suite() -> Vec<Row> {
    let case = |spec: &str, name: &str, kernel: &str, (reuse, kib, useful): (f64, u64, f64)| {
        let mut row = banded("gather", spec, (1.0 / reuse, 1.0), Some(useful));
        row.element_bytes = 8;
        row.config_name = name.to_owned();
        row.kernel = kernel.to_owned();
        row.reuse = reuse;
        row.bytes_used = kib << 10;
        row.bytes_requested = (row.bytes_used as f64 * reuse) as u64;
        row.bytes_counted = Some(row.bytes_requested);
        row.counted_gb_per_s = Some(useful * reuse);
        row
    };
    let mut rows = vec![
        case("UNIFORM:256:4:NR", "", "gather", (1.0, 524_288, 4.9)),
        case("UNIFORM:256:1:8", "", "scatter", (1.33, 262_144, 3.2)),
        case("MS1:16:4:32", "", "gather", (2.0, 65_536, 2.7)),
        case("@amg.json#0", "AMG gather", "gather", (16.0, 3, 0.71)),
        case(
            "@nekbone.json#12",
            "a name that somebody made as long as sixty characters are",
            "gs",
            (1.5, 4_096, 1.9),
        ),
    ];
    rows[3].status = Status::CacheResident;
    rows[4].note = "count 8388608 was shrunk to 262144 to fit the memory of the run".to_owned();
    rows
}
