//! `cluster`: its brokers, its controller and what it can do.

use clap::Args;
use highwater_client::{ClientError, Connection};
use highwater_wire::ErrorCode;
use highwater_wire::messages::describe_cluster_response::DescribeClusterBroker;
use highwater_wire::messages::describe_quorum_request::{PartitionData, TopicData};
use highwater_wire::messages::describe_quorum_response::{
    PartitionData as QuorumPartition, ReplicaState,
};
use highwater_wire::messages::metadata_response::MetadataResponseBroker;
use highwater_wire::messages::{
    DescribeClusterRequest, DescribeClusterResponse, DescribeQuorumRequest, DescribeQuorumResponse,
};

use crate::cli::{AnswerArgs, ConnectArgs};
use crate::failure::Outcome;
use crate::output::{Cell, Document, Output, Table, Tone};
use crate::session::{Session, refused};
use crate::text::time;

const EXAMPLES: &str = "\
Examples:
  highwater cluster
  highwater cluster --apis
  highwater cluster -b kafka.internal:9092 --json";

const METADATA_TOPIC: &str = "__cluster_metadata";

/// Show the brokers, the controller quorum and the features of a cluster.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ClusterArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    answer: AnswerArgs,
    /// Show the requests that the broker takes, and in which versions
    #[arg(long)]
    apis: bool,
}

pub async fn run(args: ClusterArgs) -> Outcome {
    let output = Output::new(args.answer.json);
    let session = Session::open(&args.connect).await?;
    let broker = session.any().clone();
    let cluster = describe(&session, &broker).await?;
    let mut document = Document::default()
        .fact("cluster", cluster.cluster_id.as_str())
        .fact("asked", broker.address())
        .fact("controller", Some(cluster.controller_id).filter(|id| *id >= 0));
    let quorum = quorum(&session).await?;
    if let Some(partition) = &quorum {
        document = document
            .fact("quorum_leader", partition.leader_id)
            .fact("quorum_epoch", partition.leader_epoch)
            .fact("metadata_offset", partition.high_watermark);
    }
    document = document.table("brokers", brokers(&cluster));
    if let Some(partition) = &quorum {
        document = document.table("quorum", replicas(partition));
    }
    document = document.table("features", features(&broker));
    if args.apis {
        document = document.table("apis", apis(&broker));
    }
    output.document(&document)
}

async fn describe(session: &Session, broker: &Connection) -> Outcome<DescribeClusterResponse> {
    let cluster = match broker.call(&DescribeClusterRequest::default()).await {
        Err(ClientError::Unsupported { .. }) => return Ok(from_metadata(session).await?),
        answer => answer?,
    };
    refused("describing the cluster", cluster.error_code, cluster.error_message.as_ref())?;
    Ok(cluster)
}

/// What brokers before 2.8 tell instead.
async fn from_metadata(session: &Session) -> Result<DescribeClusterResponse, ClientError> {
    let answer = session.client().refresh(Some(&[])).await?;
    let broker = |broker: &MetadataResponseBroker| DescribeClusterBroker {
        broker_id: broker.node_id,
        host: broker.host.clone(),
        port: broker.port,
        rack: broker.rack.clone(),
        ..DescribeClusterBroker::default()
    };
    Ok(DescribeClusterResponse {
        cluster_id: answer.cluster_id.unwrap_or_default(),
        controller_id: answer.controller_id,
        brokers: answer.brokers.iter().map(broker).collect(),
        ..DescribeClusterResponse::default()
    })
}

fn brokers(cluster: &DescribeClusterResponse) -> Table {
    let mut table = Table::new(&["broker", "address", "rack", "state"]);
    let mut brokers: Vec<_> = cluster.brokers.iter().collect();
    brokers.sort_by_key(|broker| broker.broker_id);
    for broker in brokers {
        let state = match broker.is_fenced {
            true => Cell::from("fenced").tone(Tone::Bad),
            false => Cell::from("ok").tone(Tone::Good),
        };
        table.push([
            broker.broker_id.into(),
            format!("{}:{}", broker.host, broker.port).into(),
            broker.rack.as_ref().map(ToString::to_string).into(),
            state,
        ]);
    }
    table
}

/// The metadata log's partition; none where the cluster has no such thing or does not tell.
async fn quorum(session: &Session) -> Outcome<Option<QuorumPartition>> {
    let request = DescribeQuorumRequest {
        topics: vec![TopicData {
            topic_name: METADATA_TOPIC.into(),
            partitions: vec![PartitionData::default()],
            ..TopicData::default()
        }],
        ..DescribeQuorumRequest::default()
    };
    match session.controller().await?.call(&request).await {
        Ok(answer) => Ok(partition_of(answer)),
        Err(ClientError::Unsupported { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn partition_of(answer: DescribeQuorumResponse) -> Option<QuorumPartition> {
    let partition = answer.topics.into_iter().next()?.partitions.into_iter().next()?;
    let fine = answer.error_code == ErrorCode::NONE.0 && partition.error_code == ErrorCode::NONE.0;
    fine.then_some(partition)
}

fn replicas(partition: &QuorumPartition) -> Table {
    let mut table = Table::new(&["node", "role", "log_end", "behind", "caught_up"]);
    let leader_end = partition
        .current_voters
        .iter()
        .find(|replica| replica.replica_id == partition.leader_id)
        .map_or(partition.high_watermark, |replica| replica.log_end_offset);
    let mut push = |replica: &ReplicaState, role: &str| {
        let leads = replica.replica_id == partition.leader_id;
        table.push([
            replica.replica_id.into(),
            if leads { "leader" } else { role }.into(),
            replica.log_end_offset.into(),
            (leader_end - replica.log_end_offset).max(0).into(),
            time::format_ms(replica.last_caught_up_timestamp).into(),
        ]);
    };
    partition.current_voters.iter().for_each(|replica| push(replica, "voter"));
    partition.observers.iter().for_each(|replica| push(replica, "observer"));
    table
}

fn features(broker: &Connection) -> Table {
    let answer = broker.versions().answer();
    let mut table = Table::new(&["feature", "level", "supported"]);
    let mut supported: Vec<_> = answer.supported_features.iter().collect();
    supported.sort_by(|a, b| a.name.cmp(&b.name));
    for feature in supported {
        let level = answer.finalized_features.iter().find(|f| f.name == feature.name);
        table.push([
            feature.name.as_str().into(),
            level.map_or(0, |f| f.max_version_level).into(),
            format!("{}-{}", feature.min_version, feature.max_version).into(),
        ]);
    }
    table
}

fn apis(broker: &Connection) -> Table {
    let mut table = Table::new(&["key", "api", "versions"]);
    for (key, range) in broker.versions().iter() {
        let versions = format!("{}-{}", range.start(), range.end());
        table.push([key.0.into(), key.name().into(), versions.into()]);
    }
    table
}
