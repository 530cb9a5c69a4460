//! The known word closest to a mistyped one.
//!
//! Owns the distance (edits, with swapped neighbours as one) and the cut beyond which a guess
//! would only confuse. Called wherever an unknown name or value is reported.

/// The candidate with the fewest edits to `word`, if it is near enough to be a typing error.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = word.to_ascii_lowercase();
    let edits_max = (word.len() / 3).clamp(1, 6);
    candidates
        .into_iter()
        .map(|c| (edits(&lower, &c.to_ascii_lowercase()), c))
        .filter(|(n, _)| *n <= edits_max)
        .min_by_key(|(n, c)| (*n, *c))
        .map(|(_, c)| c)
}

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
fn edits(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(x != y);
            let mut best = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_nearest(word: &str, want: Option<&str>) {
        let names = ["log.retention.ms", "log.retention.minutes", "listeners", "snappy", "zstd"];
        assert_eq!(nearest(word, names), want, "{word}");
    }

    #[test]
    fn finds_typing_errors_and_refuses_wild_guesses() {
        check_nearest("log.retension.ms", Some("log.retention.ms"));
        check_nearest("lgo.retention.ms", Some("log.retention.ms"));
        check_nearest("listener", Some("listeners"));
        check_nearest("Snapy", Some("snappy"));
        check_nearest("brotli", None);
        check_nearest("", None);
    }

    #[test]
    fn counts_a_swap_as_one_edit() {
        assert_eq!(edits("ab", "ba"), 1);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}
