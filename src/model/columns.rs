//! Lanes down the columns of a row-major matrix: window below window, then the next column.

use super::count::CountError;
use super::dispatch::{DispatchCounts, count_dispatch, gcd};
use super::window::Window;

/// Counts a walk down all `width` columns of a matrix, `windows` of `window` in each.
///
/// The lanes of `window` lie in neighbouring rows of the first column, and its pitch leads to the window below. One column
/// beside another is that of the same windows, an element further on; so columns whose shifts are alike modulo a block cost
/// alike, and all of them together touch every byte of the rows once.
///
/// # Errors
/// As [`count_dispatch`].
pub fn count_columns(
    window: &Window,
    windows: u64,
    width: u64,
    transaction_bytes: u64,
) -> Result<DispatchCounts, CountError> {
    let element = window.element_bytes;
    let too_large = |what| CountError::TooLarge { what };
    let shifted = |column: u64| Window {
        addresses: window
            .addresses
            .iter()
            .map(|a| a + column * element)
            .collect(),
        ..window.clone()
    };
    let first = count_dispatch(window, windows, transaction_bytes)?;
    let alike = transaction_bytes / gcd(transaction_bytes, element);
    let mut unshared = 0_u64;
    for column in 0..alike.min(width) {
        let times = (width - column).div_ceil(alike);
        let counts = count_dispatch(&shifted(column), windows, transaction_bytes)?;
        unshared = counts
            .unshared
            .checked_mul(times)
            .and_then(|more| unshared.checked_add(more))
            .ok_or_else(|| too_large("transactions"))?;
    }
    let bytes = first.bytes_used.checked_mul(width);
    let bytes_used = bytes.ok_or_else(|| too_large("bytes"))?;
    let begin = window.addresses.iter().min().copied().unwrap_or(0);
    let end = begin
        .checked_add(bytes_used)
        .ok_or_else(|| too_large("addresses"))?;
    Ok(DispatchCounts {
        transaction_bytes,
        windows: windows * width,
        accesses: first.accesses * width,
        bytes_requested: first.bytes_requested * width,
        bytes_used,
        unshared,
        compulsory: end.div_ceil(transaction_bytes) - begin / transaction_bytes,
    })
}
