//! `acks.all.flush`: what a replica counts as held.

/// Setting `acks.all.flush` of a topic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FlushPolicy {
    /// A lone in-sync replica counts only what it has flushed to disk; several count what all of
    /// them hold in memory, as Kafka does.
    #[default]
    Auto,
    /// Every in-sync replica counts only what it has flushed.
    Always,
    /// Kafka's default: what is in the page cache counts.
    Never,
}

impl FlushPolicy {
    /// Whether the local replica's position is its flushed end rather than its log end.
    pub fn counts_flushed_only(self, isr_size: usize) -> bool {
        match self {
            FlushPolicy::Auto => isr_size <= 1,
            FlushPolicy::Always => true,
            FlushPolicy::Never => false,
        }
    }
}
