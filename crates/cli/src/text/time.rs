//! Timestamps as people write them: UTC, RFC 3339, milliseconds.
//!
//! Pure calendar arithmetic; knows no clock and no time zone of the machine.

const MS_PER_SECOND: i64 = 1_000;
const MS_PER_DAY: i64 = 86_400_000;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_DAYS: i64 = 719_468;
/// Days in 400 years.
const ERA_DAYS: i64 = 146_097;

/// `2026-11-30T12:00:00.250Z`; a negative timestamp is none and shows as `-`.
pub fn format_ms(timestamp: i64) -> String {
    if timestamp < 0 {
        return "-".to_owned();
    }
    let (year, month, day) = date_of_days(timestamp.div_euclid(MS_PER_DAY));
    let in_day = timestamp.rem_euclid(MS_PER_DAY);
    let (seconds, ms) = (in_day / MS_PER_SECOND, in_day % MS_PER_SECOND);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Reads milliseconds since 1970, or `2026-11-30`, or `2026-11-30T12:00[:00[.250]][Z|+01:00]`.
/// Without an offset it is UTC.
pub fn parse_ms(text: &str) -> Option<i64> {
    if let Ok(ms) = text.parse::<i64>() {
        return (ms >= 0).then_some(ms);
    }
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00"));
    let days = days_of_date(date)?;
    let (clock, offset_minutes) = split_offset(time)?;
    let ms = parse_clock(clock)?;
    Some(days * MS_PER_DAY + ms - offset_minutes * 60 * MS_PER_SECOND)
}

fn days_of_date(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) =
        (number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?);
    let fits = parts.next().is_none() && (1970..=9999).contains(&year);
    if !fits || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let days = days_of(year, month, day);
    (date_of_days(days) == (year, month, day)).then_some(days)
}

fn parse_clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let (hour, minute) = (number(parts.next()?)?, number(parts.next()?)?);
    let (second, fraction) = match parts.next() {
        Some(seconds) => seconds.split_once('.').unwrap_or((seconds, "0")),
        None => ("0", "0"),
    };
    let second = number(second)?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    number(fraction)?;
    let ms: String = fraction.chars().chain("00".chars()).take(3).collect();
    Some(((hour * 60 + minute) * 60 + second) * MS_PER_SECOND + number(&ms)?)
}

/// Splits `12:00+01:00` in the clock and the minutes east of UTC.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (clock, offset) = time.split_at(at);
    let (hours, minutes) = offset[1..].split_once(':')?;
    let minutes = number(hours)? * 60 + number(minutes)?;
    Some((clock, if offset.starts_with('-') { -minutes } else { minutes }))
}

fn number(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// Days since 1970 of a date of the Gregorian calendar, counting years from March.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * ERA_DAYS + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
        - EPOCH_DAYS
}

fn date_of_days(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH_DAYS;
    let (era, day_of_era) = (days.div_euclid(ERA_DAYS), days.rem_euclid(ERA_DAYS));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day_of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<i64>) {
        assert_eq!(parse_ms(text), expected, "{text}");
    }

    #[test]
    fn times_are_read() {
        check("0", Some(0));
        check("1764547200000", Some(1_764_547_200_000));
        check("2025-12-01", Some(1_764_547_200_000));
        check("2025-12-01T00:00:00.250Z", Some(1_764_547_200_250));
        check("2025-12-01T01:00+01:00", Some(1_764_547_200_000));
        check("2025-11-30 19:30:00-04:30", Some(1_764_547_200_000));
        check("2024-02-29", Some(1_709_164_800_000));
        check("1970-01-01T00:00:00.5", Some(500));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "-1", "2025-02-29", "2025-13-01", "2025-12-01T24:00", "2025-12-01T1", "x"]
        {
            check(text, None);
        }
        for text in ["2025-12-01T00:00:00.", "2025-12-01T00:00:00.x", "2025-12-01T00:00+1", "é-1-1"]
        {
            check(text, None);
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        assert_eq!(format_ms(1_764_547_200_250), "2025-12-01T00:00:00.250Z");
        assert_eq!(format_ms(-1), "-");
        for days in (0..2_900_000).step_by(97) {
            let ms = days * MS_PER_DAY + 12_345_678;
            assert_eq!(parse_ms(&format_ms(ms)), Some(ms));
        }
    }
}
