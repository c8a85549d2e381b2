//! The expected count where the addresses are drawn at random.

/// Expected distinct `transaction_bytes` blocks under `accesses` distinct elements, drawn at random out of `elements`
/// consecutive ones of `element_bytes` that begin on a block.
///
/// A block is missed if none of the elements that reach into it is drawn, which is a hypergeometric probability; the
/// expectation is the sum over the blocks. `accesses` beyond `elements` draws them all; sizes of 0 are taken as 1.
pub fn expected_random_transactions(
    accesses: u64,
    elements: u64,
    element_bytes: u64,
    transaction_bytes: u64,
) -> f64 {
    let (element, size) = (
        u128::from(element_bytes.max(1)),
        u128::from(transaction_bytes.max(1)),
    );
    let end = u128::from(elements) * element;
    let elements_in = |block: u128| {
        let last_byte = ((block + 1) * size).min(end) - 1;
        last_byte / element - block * size / element + 1
    };
    let touched = |block| {
        let inside = elements_in(block) as f64;
        1.0 - chance_to_miss(accesses, elements, inside)
    };
    // As many blocks as an element has bytes hold whole elements: from there on blocks lie over elements as before.
    let whole_periods = end / size / element;
    let once: f64 = if whole_periods > 0 {
        (0..element).map(touched).sum()
    } else {
        0.0
    };
    let rest: f64 = (whole_periods * element..end.div_ceil(size))
        .map(touched)
        .sum();
    once * whole_periods as f64 + rest
}

/// The chance that none of `inside` elements is among `accesses` drawn out of `elements`.
fn chance_to_miss(accesses: u64, elements: u64, inside: f64) -> f64 {
    (0..accesses)
        .map(|drawn| (1.0 - inside / elements.saturating_sub(drawn) as f64).max(0.0))
        .product()
}
