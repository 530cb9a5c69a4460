//! What is made of repeated figures: the median, and how far they spread.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

/// `None` without values.
pub fn spread(values: &[f64]) -> Option<Spread> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let (below, above) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    Some(Spread { median: (below + above) / 2.0, min, max })
}

/// Each value by the one of the same round. A round that has only one of them is left out.
pub fn ratios(ours: &[f64], theirs: &[f64]) -> Vec<f64> {
    let pairs = ours.iter().zip(theirs);
    pairs.filter(|(_, theirs)| **theirs > 0.0).map(|(ours, theirs)| ours / theirs).collect()
}

/// The smallest of the sorted values that at least `percent` of them do not exceed.
pub fn percentile(sorted: &[Duration], percent: f64) -> Option<Duration> {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle_or_between_two() {
        let of = |values: &[f64]| spread(values).map(|s| (s.median, s.min, s.max));
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some((2.0, 1.0, 3.0)));
        assert_eq!(of(&[4.0, 1.0, 2.0, 3.0]), Some((2.5, 1.0, 4.0)));
        assert_eq!(of(&[7.0]), Some((7.0, 7.0, 7.0)));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        assert_eq!(ratios(&[1.0, 9.0], &[2.0, 3.0]), vec![0.5, 3.0]);
        assert_eq!(ratios(&[1.0, 9.0], &[2.0]), vec![0.5]);
        assert_eq!(ratios(&[1.0, 9.0], &[0.0, 3.0]), vec![3.0]);
        assert_eq!(ratios(&[1.0], &[]), Vec::<f64>::new());
    }

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let values: Vec<Duration> = (1..=200).map(Duration::from_millis).collect();
        let of = |percent| percentile(&values, percent).map(|value| value.as_millis());
        assert_eq!([of(50.0), of(99.0), of(100.0)], [Some(100), Some(198), Some(200)]);
        assert_eq!(of(0.0), Some(1));
        assert_eq!(percentile(&[], 50.0), None);
    }
}
