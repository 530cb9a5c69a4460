//! Checks that only one or two settings need.
//!
//! Owns syntax that is not a range or a word list. Named from the tables in `registry`.

use crate::check::Check;
use crate::setting::Value;

/// 1 to 9, or -1 for the codec's own default.
pub(crate) const GZIP_LEVEL: Check = Check::RangeOr { min: 1, max: 9, or: -1 };

/// `partition:broker,…`, or `*` for all.
pub(crate) const THROTTLED: Check =
    Check::Custom { accepts: "a list of partition:broker pairs, or *", check: check_throttled };

/// `id@host:port,…`
pub(crate) const VOTERS: Check =
    Check::Custom { accepts: "a list of id@host:port", check: check_voters };

/// `host:port,…`
pub(crate) const HOST_PORTS: Check =
    Check::Custom { accepts: "a list of host:port", check: check_host_ports };

/// `earliest`, `latest` or `by_duration:` with an ISO-8601 duration.
pub(crate) const AUTO_OFFSET_RESET: Check = Check::Custom {
    accepts: "earliest, latest or by_duration:PnDTnHnMn.nS",
    check: check_auto_offset_reset,
};

fn check_throttled(value: &Value) -> Result<(), String> {
    let items = value.as_list().unwrap_or_default();
    if items == ["*"] {
        return Ok(());
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    for item in items {
        match item.split_once(':') {
            Some((partition, broker)) if is_number(partition) && is_number(broker) => {}
            _ => return Err(format!("{item:?} is not a partition:broker pair such as 0:1")),
        }
    }
    Ok(())
}

fn check_voters(value: &Value) -> Result<(), String> {
    for item in value.as_list().unwrap_or_default() {
        match item.split_once('@') {
            Some((id, address)) if id.parse::<i32>().is_ok_and(|n| n >= 0) => {
                check_host_port(address)?;
            }
            _ => return Err(format!("{item:?} is not of the form id@host:port")),
        }
    }
    Ok(())
}

fn check_host_ports(value: &Value) -> Result<(), String> {
    value.as_list().unwrap_or_default().iter().try_for_each(|item| check_host_port(item))
}

fn check_host_port(text: &str) -> Result<(), String> {
    match text.rsplit_once(':') {
        Some((host, port))
            if !host.is_empty() && !host.contains('@') && port.parse::<u16>().is_ok() =>
        {
            Ok(())
        }
        _ => Err(format!("{text:?} is not of the form host:port")),
    }
}

fn check_auto_offset_reset(value: &Value) -> Result<(), String> {
    let text = value.as_str().unwrap_or_default();
    let known = matches!(text, "earliest" | "latest")
        || text
            .strip_prefix("by_duration:")
            .is_some_and(|d| crate::duration::parse_ms(d).is_some());
    if known {
        return Ok(());
    }
    Err("accepted are earliest, latest and by_duration: with a duration such as PT1H".into())
}
