//! Made-up rows of sweeps over the fields of structs and over element widths.

use coalescope::record::{Row, TRANSACTION_BYTES};

use crate::rows::{row, structure};

/// Every field of structs of 8 to 48 bytes, which spread the more the larger the struct, the array alone and whole structs.
pub(crate) fn every_field_suite() -> Vec<Row> {
    let sizes = [8, 12, 16, 20, 24, 32, 48];
    let field = |size: u64, byte: u64| {
        let spread = 1.0 + 0.01 * (byte * 3 % 11) as f64;
        let mut row = structure(
            Some(size),
            Some((22.0 * 4.0 / size as f64).min(5.0) * spread),
        );
        row.spec = format!("struct:{size}B+{byte}B");
        row.field_bytes = Some(byte);
        row
    };
    let whole = |size: u64| {
        let mut row = structure(Some(size), Some(7.0 + size as f64 / 8.0));
        row.spec = format!("struct:{size}B+all");
        row.field_bytes = None;
        [
            row.efficiency_compulsory_32b,
            row.efficiency_compulsory_64b,
            row.efficiency_compulsory_128b,
        ] = [1.0; 3];
        row
    };
    let of_size = |size: u64| {
        (0..size)
            .step_by(4)
            .map(move |byte| field(size, byte))
            .chain([whole(size)])
    };
    let alone = structure(None, Some(5.1));
    std::iter::once(alone)
        .chain(sizes.into_iter().flat_map(of_size))
        .collect()
}

/// A stride or an offset of elements of 4, 8 and 16 bytes, whose ceilings are 5, 9 and 15 GB/s over a memory of 22.
pub(crate) fn width_suite() -> Vec<Row> {
    let issue = |width: u32| {
        [(4, 5.0), (8, 9.0), (16, 15.0)]
            .into_iter()
            .find(|(w, _)| *w == width)
    };
    let of = |width: u32| {
        let ceiling = issue(width).unwrap().1;
        let element = f64::from(width);
        let key = if width == 4 {
            String::new()
        } else {
            format!(",element={width}B")
        };
        let stride = |d: u64| {
            let efficiency = TRANSACTION_BYTES.map(|t| (1.0 / d as f64).max(element / t as f64));
            let spread = 1.0 + 0.02 * ((d * 7 % 5) as f64 - 2.0);
            let useful = (22.0 * efficiency[1]).min(ceiling) * spread;
            let mut row = row(
                "width",
                &format!("stride:{d}{key}"),
                efficiency,
                Some(useful),
            );
            row.stride_elements = Some(d as i64);
            row
        };
        let offset = |bytes: u64| {
            let window = 32 * u64::from(width);
            let alone = TRANSACTION_BYTES
                .map(|t| window as f64 / ((bytes % t + window).div_ceil(t) * t) as f64);
            let mut row = row(
                "width",
                &format!("offset:{bytes}B{key}"),
                [1.0; 3],
                Some(ceiling * 0.98),
            );
            [
                row.efficiency_unshared_32b,
                row.efficiency_unshared_64b,
                row.efficiency_unshared_128b,
            ] = alone;
            row.offset_bytes = Some(bytes);
            row
        };
        let strides = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32].map(stride);
        let offsets = [0, 16, 32, 48, 64, 96, 128].map(offset);
        let rows = strides.into_iter().chain(offsets);
        rows.map(move |row| Row {
            element_bytes: width,
            lanes: 32,
            ..row
        })
        .collect::<Vec<_>>()
    };
    [4, 8, 16].into_iter().flat_map(of).collect()
}
