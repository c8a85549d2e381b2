//! Closed forms for equally spaced accesses: the count takes as many steps as Euclid's algorithm, whatever the length.

use super::Window;
use super::count::CountError;

/// A dispatch whose distinct addresses are `origin + step * i`, window after window without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffineRun {
    /// Lowest address in bytes, relative to the first window's base.
    pub origin: u64,
    /// Bytes from one address to the next; 0 where every window is the same single address.
    pub step: u64,
    /// Distinct addresses in one window.
    pub count_per_window: u64,
    /// Lanes at each address.
    pub multiplicity: u64,
}

impl Window {
    /// The window and its repetitions as one progression, where they are one.
    ///
    /// That is so if the lanes' distinct addresses are equally spaced, each asked for equally often, and the pitch
    /// carries the spacing on into the next window; or if all lanes share one address, whatever the pitch.
    pub fn affine_run(&self) -> Option<AffineRun> {
        let mut addresses = self.addresses.clone();
        addresses.sort_unstable();
        let origin = *addresses.first()?;
        let multiplicity = addresses.iter().filter(|&&a| a == origin).count();
        if !addresses.len().is_multiple_of(multiplicity) {
            return None;
        }
        let count = addresses.len() / multiplicity;
        let step = match addresses.get(multiplicity) {
            None => self.pitch_bytes,
            Some(second) => second - origin,
        };
        let equally_spaced = addresses.iter().enumerate().all(|(i, &address)| {
            step.checked_mul((i / multiplicity) as u64)
                .and_then(|distance| distance.checked_add(origin))
                == Some(address)
        });
        let continues = count == 1 || step.checked_mul(count as u64) == Some(self.pitch_bytes);
        (equally_spaced && continues).then_some(AffineRun {
            origin,
            step,
            count_per_window: count as u64,
            multiplicity: multiplicity as u64,
        })
    }
}

/// Number of distinct `transaction_bytes` blocks under `count` elements of `element_bytes` at `origin + step * i`.
///
/// # Errors
/// If the count exceeds 64 bits, or a transaction has no bytes.
pub fn count_affine(
    origin: u64,
    step: u64,
    count: u64,
    element_bytes: u64,
    transaction_bytes: u64,
) -> Result<u64, CountError> {
    let size = match transaction_bytes {
        0 => return Err(CountError::NoTransaction),
        bytes => u128::from(bytes),
    };
    if count == 0 || element_bytes == 0 {
        return Ok(0);
    }
    let (origin, step, count) = (u128::from(origin), u128::from(step), u128::from(count));
    let tail = u128::from(element_bytes) - 1;
    let blocks = if step < size + tail {
        // No whole block fits between two elements, so none between the first and the last is left out.
        (origin + step * (count - 1) + tail) / size - origin / size + 1
    } else {
        // No two elements share a block: one each, and one more for every boundary that an element straddles.
        let first = origin % size;
        let advance = step % size;
        count + floor_sum(count, size, advance, first + tail)
            - floor_sum(count, size, advance, first)
    };
    u64::try_from(blocks).map_err(|_| CountError::TooLarge {
        what: "transactions",
    })
}

/// The sum of `(a * i + b) / m`, rounded down, for `i` from 0 to `n - 1`; `m` is at least 1.
///
/// Exact for `a` up to `m` and for `n`, `m` and `b / m` below 2^63. It counts the points under a line and swaps the
/// axes at every step, as Euclid's algorithm does.
pub(super) fn floor_sum(n: u128, m: u128, a: u128, b: u128) -> u128 {
    let (mut n, mut m, mut a, mut b) = (n, m, a, b);
    let mut sum = 0;
    while n > 0 {
        sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
        a %= m;
        b %= m;
        let top = a * n + b;
        n = top / m;
        b = top % m;
        (m, a) = (a, m);
    }
    sum
}
