//! Text that goes in and comes out: formats, positions, times, bytes. Pure.

pub mod bytes;
pub mod format;
pub mod position;
pub mod time;
