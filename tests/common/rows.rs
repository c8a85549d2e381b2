//! Made-up rows of sweeps over strides, offsets and structs.

use coalescope::executor::AdapterKind;
use coalescope::record::{
    Row, SCHEMA_VERSION, Status, StopReason, TRANSACTION_BYTES, TimingMethod,
};

/// A row of the machine that these tests make up: 8 lanes, packed windows, a software adapter.
pub(crate) fn row(
    suite: &str,
    spec: &str,
    efficiency: [f64; 3],
    useful_gb_per_s: Option<f64>,
) -> Row {
    let fetched = efficiency.map(|eta| useful_gb_per_s.map(|useful| useful / eta));
    Row {
        schema_version: SCHEMA_VERSION,
        suite: suite.to_owned(),
        spec: spec.to_owned(),
        status: if useful_gb_per_s.is_some() {
            Status::Ok
        } else {
            Status::Failed
        },
        stop_reason: StopReason::Converged,
        adapter: "llvmpipe (LLVM 15.0.6, 256 bits)".to_owned(),
        adapter_kind: AdapterKind::Software,
        backend: "vulkan".to_owned(),
        driver: "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)".to_owned(),
        software: true,
        pattern: suite.to_owned(),
        op: "load".to_owned(),
        layout: "packed".to_owned(),
        lanes: 8,
        workgroup_size: 64,
        element_bytes: 4,
        pitch_bytes: 32,
        footprint_bytes: 512 << 20,
        reuse: 1.0,
        efficiency_unshared_32b: efficiency[0],
        efficiency_unshared_64b: efficiency[1],
        efficiency_unshared_128b: efficiency[2],
        efficiency_compulsory_32b: efficiency[0],
        efficiency_compulsory_64b: efficiency[1],
        efficiency_compulsory_128b: efficiency[2],
        timing_method: Some(TimingMethod::PassTimestamps),
        samples: 40,
        dispatches_per_sample: 1,
        useful_gb_per_s,
        useful_low_gb_per_s: useful_gb_per_s.map(|useful| useful * 0.985),
        useful_high_gb_per_s: useful_gb_per_s.map(|useful| useful * 1.015),
        requested_gb_per_s: useful_gb_per_s,
        fetched_gb_per_s_32b: fetched[0],
        fetched_gb_per_s_64b: fetched[1],
        fetched_gb_per_s_128b: fetched[2],
        checksum: "exact".to_owned(),
        ..Row::default()
    }
}

pub(crate) fn stride(stride: i64, useful_gb_per_s: Option<f64>) -> Row {
    let efficiency = TRANSACTION_BYTES.map(|t| match stride {
        0 => 4.0 / t.min(32) as f64,
        _ => (1.0 / stride.unsigned_abs() as f64).max(4.0 / t as f64),
    });
    let mut row = row(
        "stride",
        &format!("stride:{stride}"),
        efficiency,
        useful_gb_per_s,
    );
    row.stride_elements = Some(stride);
    row.reuse = if stride == 0 { 8.0 } else { 1.0 };
    row
}

/// Offsets of the packed layout lose nothing if all is shared; those of the padded one, and packed ones if nothing is, lose what
/// the textbook says.
pub(crate) fn offset(layout: &str, offset_bytes: u64, useful_gb_per_s: Option<f64>) -> Row {
    let textbook =
        TRANSACTION_BYTES.map(|t| 128.0 / ((offset_bytes % t + 128).div_ceil(t) * t) as f64);
    let efficiency = match layout {
        "padded" => textbook,
        _ => [1.0; 3],
    };
    let spec = format!("offset:{offset_bytes}B,layout={layout}");
    let mut row = row("offset", &spec, efficiency, useful_gb_per_s);
    [
        row.efficiency_unshared_32b,
        row.efficiency_unshared_64b,
        row.efficiency_unshared_128b,
    ] = textbook;
    row.offset_bytes = Some(offset_bytes);
    row.layout = layout.to_owned();
    row.lanes = 32;
    row
}

/// A sweep like the one lavapipe gives: C = 5, B = 22 at 128-byte transactions, and a few per cent of spread.
pub(crate) fn stride_sweep() -> Vec<Row> {
    let swept = (0..=32).chain([48, 64, 128, 256]);
    swept
        .map(|d| {
            let spread = 1.0 + 0.02 * f64::from((d * 7 % 5) as i32 - 2);
            let useful = match d {
                0 => 0.62,
                _ => (22.0 * (1.0 / d as f64).max(1.0 / 32.0)).min(5.0) * spread,
            };
            stride(d, Some(useful))
        })
        .collect()
}

pub(crate) fn offset_sweep() -> Vec<Row> {
    let of = |layout: &'static str| {
        (0..=128).step_by(4).map(move |o| {
            let loss = if layout == "padded" && o % 64 != 0 {
                2.0 / 3.0
            } else {
                1.0
            };
            let spread = 1.0 + 0.01 * f64::from((o / 4 * 7 % 5) as i32 - 2);
            offset(
                layout,
                o,
                Some(if layout == "padded" { 3.0 } else { 4.8 } * loss * spread),
            )
        })
    };
    of("packed").chain(of("padded")).collect()
}

/// One field of a struct of `struct_bytes`; `None` is the field as an array of its own.
pub(crate) fn structure(struct_bytes: Option<u64>, useful_gb_per_s: Option<f64>) -> Row {
    let size = struct_bytes.unwrap_or(4) as f64;
    let efficiency = TRANSACTION_BYTES.map(|t| (4.0 / size).max(4.0 / t as f64));
    let spec = struct_bytes.map_or("soa".to_owned(), |bytes| format!("struct:{bytes}B"));
    let mut row = row("struct", &spec, efficiency, useful_gb_per_s);
    row.pattern = if struct_bytes.is_some() {
        "struct"
    } else {
        "soa"
    }
    .to_owned();
    row.struct_bytes = struct_bytes;
    row.field_bytes = struct_bytes.map(|_| 0);
    row
}

pub(crate) fn struct_sweep() -> Vec<Row> {
    let structs = (4..=64).step_by(4).map(|bytes| {
        let useful = (22.0 * 4.0 / bytes as f64).min(5.0);
        structure(Some(bytes), Some(useful))
    });
    let alone = structure(None, Some(5.1));
    std::iter::once(alone).chain(structs).collect()
}

/// A working set of `bytes`, fetched at `fetched_gb_per_s`, of which a sixteenth is useful.
pub(crate) fn working_set(bytes: u64, fetched_gb_per_s: Option<f64>) -> Row {
    let efficiency = TRANSACTION_BYTES.map(|t| 4.0 / t.min(64) as f64);
    let useful = fetched_gb_per_s.map(|fetched| fetched / 16.0);
    let mut row = row("working-set", "stride:16", efficiency, useful);
    row.pattern = "stride".to_owned();
    row.footprint_bytes = bytes;
    row.stride_elements = Some(16);
    row
}

/// Steps after 2 MiB and after 64 MiB.
pub(crate) fn working_set_sweep() -> Vec<Row> {
    let set = |octave: u32| {
        let fetched = match octave {
            ..22 => 62.0,
            22 => 41.0,
            23..27 => 31.0,
            _ => 21.0,
        };
        let mut row = working_set(1 << octave, Some(fetched));
        if octave < 28 {
            row.status = Status::CacheResident;
        }
        row
    };
    (18..=30).map(set).collect()
}
