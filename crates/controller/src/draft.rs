//! The records a decision is about to write, with the image as they leave it: a later step of one
//! decision sees what an earlier one did. Throwing a draft away undoes it.

use highwater_wire::metadata_frame::MetadataRecord;

use crate::image::Image;

/// Whoever pushes should hold no clone of `image`: what a clone shares is copied on change.
///
/// An image and the records that lead to it from where the draft began.
#[derive(Clone)]
pub struct Draft {
    pub image: Image,
    pub records: Vec<MetadataRecord>,
}

impl Draft {
    pub fn new(image: &Image) -> Draft {
        Draft { image: image.clone(), records: Vec::new() }
    }

    pub fn push(&mut self, record: MetadataRecord) {
        self.image.replay(&record);
        self.records.push(record);
    }

    pub fn extend(&mut self, records: impl IntoIterator<Item = MetadataRecord>) {
        records.into_iter().for_each(|record| self.push(record));
    }
}
