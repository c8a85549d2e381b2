//! What slows large strides down besides transactions: pages, address translation, sets and channels.

/// Strides from which it may begin, in elements; a factor of about 1.4 apart.
const STARTS: [f64; 12] = [
    2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 16.0, 23.0, 32.0, 48.0, 64.0, 128.0,
];

/// How steep it may be: never as steep as the fall of the transactions, whose exponent is 1.
const EXPONENTS: [f64; 3] = [0.2, 0.4, 0.6];

/// Where it may end, as shares of the bandwidth before it.
const BOTTOMS: [f64; 4] = [0.35, 0.5, 0.65, 0.8];

/// A fall of the fetch bandwidth as a power of the stride, down to a bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Decline {
    from_stride: f64,
    exponent: f64,
    bottom: f64,
}

impl Decline {
    /// Logarithm of the share of the fetch bandwidth that is left.
    pub(super) fn ln_share(self, stride_elements: f64) -> f64 {
        let beyond = (stride_elements / self.from_stride).ln().max(0.0);
        (-self.exponent * beyond).max(self.bottom.ln())
    }
}

/// The declines that a floor is compared with.
pub(super) fn declines() -> impl Iterator<Item = Decline> {
    STARTS.into_iter().flat_map(|from_stride| {
        EXPONENTS.into_iter().flat_map(move |exponent| {
            BOTTOMS.map(|bottom| Decline {
                from_stride,
                exponent,
                bottom,
            })
        })
    })
}
