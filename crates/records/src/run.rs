//! Batches that lie one behind the other, as in a segment file or a fetch answer.

use crate::{BatchError, BatchView};

/// What to do with bytes at the end that are not a whole batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// They are an error.
    Strict,
    /// They end the iteration: a fetch answer is cut anywhere, a file may end in a torn write.
    Tolerate,
}

/// The batches in `bytes`. After an error the iteration ends.
pub fn batches(bytes: &[u8], tail: Tail) -> Batches<'_> {
    Batches { bytes, position: 0, tail, failed: false }
}

#[derive(Debug, Clone)]
pub struct Batches<'a> {
    bytes: &'a [u8],
    position: usize,
    tail: Tail,
    failed: bool,
}

impl<'a> Batches<'a> {
    /// Where the next batch begins: after the last one that was whole.
    pub fn position(&self) -> usize {
        self.position
    }
}

impl<'a> Iterator for Batches<'a> {
    type Item = Result<BatchView<'a>, BatchError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.position..).filter(|r| !r.is_empty() && !self.failed)?;
        match BatchView::parse(rest) {
            Ok(batch) => {
                self.position += batch.bytes().len();
                Some(Ok(batch))
            }
            Err(error) => {
                self.failed = true;
                let torn = matches!(error, BatchError::Truncated { .. });
                (!torn || self.tail == Tail::Strict).then_some(Err(error))
            }
        }
    }
}
