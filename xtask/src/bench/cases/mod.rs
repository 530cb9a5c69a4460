//! What `bench start` measures, one case a file, in the order of the report.

mod cold_fetch;
mod idle;
mod partitions;
mod start;
mod throughput;

use crate::bench::measure::Case;

pub const CASES: &[Case] =
    &[start::CASE, idle::CASE, partitions::CASE, throughput::CASE, cold_fetch::CASE];
