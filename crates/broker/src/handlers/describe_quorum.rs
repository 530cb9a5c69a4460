//! DescribeQuorum: the quorum of the metadata log; on a single node, this one.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::describe::{Quorum, QuorumReplica, describe_quorum};
use highwater_types::Uuid;
use highwater_wire::messages::{DescribeQuorumRequest, DescribeQuorumResponse};

use super::{Answer, Api, Call};
use crate::Broker;

pub struct DescribeQuorum;

/// Version from which the nodes are told.
const NODES_FROM: i16 = 2;

impl Api for DescribeQuorum {
    type Request = DescribeQuorumRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=2;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: DescribeQuorumRequest,
    ) -> Answer<DescribeQuorumResponse> {
        let mut response = describe_quorum(&quorum(broker), &request);
        if call.version < NODES_FROM {
            response.nodes.clear();
        }
        Answer::Now(response)
    }
}

fn quorum(broker: &Broker) -> Quorum {
    let at = broker.metadata_log.positions();
    let image = broker.image.load();
    let this = QuorumReplica {
        id: broker.node.id,
        // The voters are static: their directories are not told.
        directory: Uuid::ZERO,
        log_end: at.log_end,
        last_fetch: broker.clock.now(),
        last_caught_up: broker.clock.now(),
        endpoints: image
            .broker(broker.node.id)
            .map(|known| known.endpoints.clone())
            .unwrap_or_default(),
    };
    Quorum {
        leader: broker.node.id,
        epoch: broker.metadata_log.leader_epoch().unwrap_or_default(),
        high_watermark: at.high_watermark,
        voters: vec![this],
        observers: Vec::new(),
    }
}
