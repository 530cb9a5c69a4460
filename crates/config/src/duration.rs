//! ISO-8601 durations (`PnDTnHnMn.nS`), as far as share groups need them.

/// Milliseconds of a duration that is not negative; `None` if it is not one.
pub(crate) fn parse_ms(text: &str) -> Option<i64> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let body = text.strip_prefix(['P', 'p'])?;
    let (days, time) = match body.split_once(['T', 't']) {
        Some((days, time)) if !time.is_empty() => (days, time),
        Some(_) => return None,
        None => (body, ""),
    };
    if days.is_empty() && time.is_empty() {
        return None;
    }
    let mut total_ms = 0_i64;
    let mut rest = days;
    take_unit(&mut rest, b'D', 86_400_000, &mut total_ms)?;
    if !rest.is_empty() {
        return None;
    }
    rest = time;
    take_unit(&mut rest, b'H', 3_600_000, &mut total_ms)?;
    take_unit(&mut rest, b'M', 60_000, &mut total_ms)?;
    take_seconds(&mut rest, &mut total_ms)?;
    (rest.is_empty() && total_ms >= 0).then_some(total_ms)
}

/// Consumes `n<unit>` if it stands next.
fn take_unit(rest: &mut &str, unit: u8, unit_ms: i64, total_ms: &mut i64) -> Option<()> {
    let Some(end) = rest.bytes().position(|b| b.is_ascii_alphabetic()) else {
        return Some(());
    };
    if !rest.as_bytes()[end].eq_ignore_ascii_case(&unit) {
        return Some(());
    }
    let count: i64 = rest[..end].parse().ok()?;
    *total_ms = total_ms.checked_add(count.checked_mul(unit_ms)?)?;
    *rest = &rest[end + 1..];
    Some(())
}

/// Consumes `n.nS` if it stands next; what is finer than a millisecond is cut off.
fn take_seconds(rest: &mut &str, total_ms: &mut i64) -> Option<()> {
    let Some(text) = rest.strip_suffix(['S', 's']) else {
        return Some(());
    };
    let (whole, part) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let valid_part = part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
    if !valid_part {
        return None;
    }
    let seconds: i64 = whole.parse().ok()?;
    let millis: i64 = format!("{part:0<3}")[..3].parse().ok()?;
    let signed = if whole.starts_with('-') { -millis } else { millis };
    *total_ms = total_ms.checked_add(seconds.checked_mul(1000)?.checked_add(signed)?)?;
    *rest = "";
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations() {
        for (text, want) in [
            ("PT1H", Some(3_600_000)),
            ("P1DT2H3M4.5S", Some(93_784_500)),
            ("pt0.001s", Some(1)),
            ("P2D", Some(172_800_000)),
            ("PT0S", Some(0)),
            ("P", None),
            ("PT", None),
            ("P1DT", None),
            ("1H", None),
            ("PT-1H", None),
            ("PT1M1H", None),
            ("PT99999999999999999999S", None),
        ] {
            assert_eq!(parse_ms(text), want, "{text}");
        }
    }
}
