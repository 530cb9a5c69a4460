//! Holds images back until the records that led to them are committed. Used by the host, so that
//! no handler reads what may yet be taken back.

use std::collections::VecDeque;

use highwater_types::Offset;
use highwater_wire::metadata_frame::MetadataRecord;

use crate::delta::ImageDelta;
use crate::image::Image;

/// Images that are not true yet, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Unpublished {
    /// Their `next_offset` rises.
    held: VecDeque<(Image, ImageDelta)>,
}

impl Unpublished {
    /// After an append: the image it led to, and its records.
    pub fn push(&mut self, image: &Image, records: &[MetadataRecord]) {
        self.held.push_back((image.clone(), ImageDelta::of(records)));
    }

    /// The newest image whose records lie below `high_watermark`, with all that changed since the
    /// one given out before.
    pub fn committed_to(&mut self, high_watermark: Offset) -> Option<(Image, ImageDelta)> {
        let mut published: Option<(Image, ImageDelta)> = None;
        while self.held.front().is_some_and(|(held, _)| held.next_offset() <= high_watermark) {
            let Some((image, delta)) = self.held.pop_front() else { break };
            published = match published {
                None => Some((image, delta)),
                Some((_, mut before)) => {
                    before.merge(delta);
                    Some((image, before))
                }
            };
        }
        published
    }

    /// The log has lost its tail: what it led to never was.
    pub fn clear(&mut self) {
        self.held.clear();
    }
}
