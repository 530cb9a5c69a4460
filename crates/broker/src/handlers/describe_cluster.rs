//! DescribeCluster: the cluster's id, controller and brokers.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_wire::ErrorCode;
use highwater_wire::messages::describe_cluster_response::DescribeClusterBroker;
use highwater_wire::messages::{DescribeClusterRequest, DescribeClusterResponse};

use super::{Answer, Api, Call};
use crate::{Broker, authorized};

pub struct DescribeCluster;

const ENDPOINT_BROKERS: i8 = 1;
const ENDPOINT_CONTROLLERS: i8 = 2;
/// Version from which fenced brokers can be asked for.
const FENCED_FROM: i16 = 2;

impl Api for DescribeCluster {
    type Request = DescribeClusterRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=2;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: DescribeClusterRequest,
    ) -> Answer<DescribeClusterResponse> {
        let refused = |code: ErrorCode, message: String| {
            Answer::Now(DescribeClusterResponse {
                error_code: code.0,
                error_message: Some(message.into()),
                ..DescribeClusterResponse::default()
            })
        };
        match request.endpoint_type {
            ENDPOINT_BROKERS => {}
            ENDPOINT_CONTROLLERS => {
                return refused(
                    ErrorCode::MISMATCHED_ENDPOINT_TYPE,
                    "this listener is for brokers' clients; controllers are asked elsewhere".into(),
                );
            }
            other => {
                return refused(
                    ErrorCode::UNSUPPORTED_ENDPOINT_TYPE,
                    format!("endpoint type {other} is neither 1 (brokers) nor 2 (controllers)"),
                );
            }
        }
        let image = broker.image.load();
        let with_fenced = call.version >= FENCED_FROM && request.include_fenced_brokers;
        let brokers = image
            .brokers
            .iter()
            .filter(|known| with_fenced || !known.fenced)
            .map(|known| {
                let (host, port) = broker.endpoint_of(known);
                DescribeClusterBroker {
                    broker_id: known.id.get(),
                    host,
                    port,
                    rack: known.rack.clone(),
                    is_fenced: known.fenced,
                    ..DescribeClusterBroker::default()
                }
            })
            .collect();
        Answer::Now(DescribeClusterResponse {
            endpoint_type: ENDPOINT_BROKERS,
            cluster_id: broker.node.cluster_id.as_ref().into(),
            controller_id: broker.node.id.get(),
            brokers,
            cluster_authorized_operations: if request.include_cluster_authorized_operations {
                authorized::CLUSTER
            } else {
                authorized::NOT_ASKED
            },
            ..DescribeClusterResponse::default()
        })
    }
}
