//! A topic is deleted: what was committed for it must not be found by one that gets its name.

use highwater_shard::Token;
use highwater_types::TopicId;
use highwater_wire::Str;

use crate::record::Record;
use crate::turn::Turn;
use crate::{GroupCoordinator, Reply};

impl GroupCoordinator {
    /// Removes the topic's offsets from every group, also of those that consume it.
    pub(crate) fn decide_topic_deleted(
        &self,
        token: Token,
        id: TopicId,
        name: &Str,
        turn: &mut Turn<'_>,
    ) {
        for (group_id, topics) in &self.state().offsets {
            for (partition, offset) in topics.get(name).into_iter().flatten() {
                if offset.is_of(Some(id)) {
                    turn.record(Record::offset_tombstone(group_id, name, *partition));
                }
            }
        }
        turn.reply(token, Reply::TopicDeleted);
    }
}
