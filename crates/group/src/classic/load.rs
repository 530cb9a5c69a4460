//! A new leader takes over the classic groups that its log tells of.

use super::group::ClassicGroup;
use crate::GroupCoordinator;
use crate::turn::Turn;

impl GroupCoordinator {
    /// Every member's session starts anew. A group that is larger than is now allowed rebalances,
    /// which leaves the last ones out.
    pub(crate) fn on_lead_classic(&self, turn: &mut Turn<'_>) {
        for (id, image) in &self.state().groups {
            if image.members.is_empty() {
                continue;
            }
            let mut group = ClassicGroup::from_image(id.clone(), image);
            for member_id in group.members.keys() {
                group.renew_session(member_id, turn);
            }
            if group.members.len() > turn.config.members_max {
                group.prepare_rebalance(turn);
            }
            turn.save(group);
        }
    }
}
