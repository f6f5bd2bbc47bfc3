//! Percentiles of what was measured, without interpolation: each is a value that occurred.

/// The value that `percent` of the sorted values do not exceed; 0 if there are none.
pub fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted
        .get(rank.clamp(1, sorted.len().max(1)) - 1)
        .copied()
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_that_occurred() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(
            (
                percentile(&hundred, 50.0),
                percentile(&hundred, 99.0),
                percentile(&hundred, 100.0)
            ),
            (50.0, 99.0, 100.0)
        );
        assert_eq!(
            (
                percentile(&[7.0], 50.0),
                percentile(&[7.0], 99.0),
                percentile(&[], 99.0)
            ),
            (7.0, 7.0, 0.0)
        );
        assert_eq!(percentile(&[1.0, 9.0], 51.0), 9.0);
    }
}
