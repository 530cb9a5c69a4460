//! What can be asked of the controller, and what it answers: wire messages, wrapped where the
//! controller must know more than the message says.

use highwater_types::BrokerId;
use highwater_wire::messages::{
    AllocateProducerIdsRequest, AllocateProducerIdsResponse, AlterClientQuotasRequest,
    AlterClientQuotasResponse, AlterConfigsRequest, AlterConfigsResponse,
    AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse, AlterPartitionRequest,
    AlterPartitionResponse, AlterUserScramCredentialsRequest, AlterUserScramCredentialsResponse,
    AssignReplicasToDirsRequest, AssignReplicasToDirsResponse, BrokerHeartbeatRequest,
    BrokerHeartbeatResponse, BrokerRegistrationRequest, BrokerRegistrationResponse,
    CreatePartitionsRequest, CreatePartitionsResponse, CreateTopicsRequest, CreateTopicsResponse,
    DeleteTopicsRequest, DeleteTopicsResponse, ElectLeadersRequest, ElectLeadersResponse,
    IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse, UnregisterBrokerRequest,
    UnregisterBrokerResponse, UpdateFeaturesRequest, UpdateFeaturesResponse,
};
use highwater_wire::{ErrorCode, Str};

/// A request. `version` is the version it came in, where the answer depends on it; `receiver` is
/// the broker that a client sent it to.
#[derive(Clone, Debug)]
pub enum ControllerRequest {
    CreateTopics(CreateTopicsRequest),
    DeleteTopics {
        request: DeleteTopicsRequest,
        version: i16,
    },
    CreatePartitions(CreatePartitionsRequest),
    AlterConfigs {
        request: AlterConfigsRequest,
        receiver: BrokerId,
    },
    IncrementalAlterConfigs {
        request: IncrementalAlterConfigsRequest,
        receiver: BrokerId,
    },
    AllocateProducerIds(AllocateProducerIdsRequest),
    /// `local`: the broker runs in the controller's own process, so an earlier registration of it
    /// is known to be dead, and no session is kept.
    RegisterBroker {
        request: BrokerRegistrationRequest,
        local: bool,
    },
    BrokerHeartbeat(BrokerHeartbeatRequest),
    /// A broker in the controller's own process stops in an orderly way: what its heartbeats would
    /// bring about, in one step. Answered by [`ControllerReply::Done`].
    BrokerShutdown {
        broker: BrokerId,
        epoch: i64,
    },
    UnregisterBroker(UnregisterBrokerRequest),
    UpdateFeatures {
        request: UpdateFeaturesRequest,
        version: i16,
    },
    AlterClientQuotas(AlterClientQuotasRequest),
    AlterUserScramCredentials(AlterUserScramCredentialsRequest),
    ElectLeaders(ElectLeadersRequest),
    AlterPartitionReassignments(AlterPartitionReassignmentsRequest),
    AlterPartition(AlterPartitionRequest),
    AssignReplicasToDirs(AssignReplicasToDirsRequest),
}

/// An answer; each request has the variant of its name, or [`ControllerReply::Refused`].
#[derive(Clone, PartialEq, Debug)]
pub enum ControllerReply {
    CreateTopics(CreateTopicsResponse),
    DeleteTopics(DeleteTopicsResponse),
    CreatePartitions(CreatePartitionsResponse),
    AlterConfigs(AlterConfigsResponse),
    IncrementalAlterConfigs(IncrementalAlterConfigsResponse),
    AllocateProducerIds(AllocateProducerIdsResponse),
    RegisterBroker(BrokerRegistrationResponse),
    BrokerHeartbeat(BrokerHeartbeatResponse),
    UnregisterBroker(UnregisterBrokerResponse),
    UpdateFeatures(UpdateFeaturesResponse),
    AlterClientQuotas(AlterClientQuotasResponse),
    AlterUserScramCredentials(AlterUserScramCredentialsResponse),
    ElectLeaders(ElectLeadersResponse),
    AlterPartitionReassignments(AlterPartitionReassignmentsResponse),
    AlterPartition(AlterPartitionResponse),
    AssignReplicasToDirs(AssignReplicasToDirsResponse),
    /// A request without a response of its own was carried out.
    Done,
    /// The whole request failed: the handler answers every item of it with this.
    Refused(ErrorCode, Option<Str>),
}
