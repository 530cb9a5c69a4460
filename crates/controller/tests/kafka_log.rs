//! The metadata log that Kafka 4.4.0 wrote on one node: formatted, topics made, settings altered,
//! stopped, started, killed, started again. `data/kafka_metadata.txt` has each record but NO_OPs as
//! offset and hexadecimal frame.

mod script;
mod support;

use highwater_controller::{Image, ResourceKind, record_version};
use highwater_types::{BrokerId, Offset, PartitionIndex, TopicId};
use highwater_wire::metadata_frame::{self, MetadataRecord};

fn records() -> Vec<(Offset, Vec<u8>, MetadataRecord)> {
    let bytes = |hex: &str| -> Vec<u8> {
        let pairs = hex.as_bytes().chunks(2);
        pairs
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    };
    let line = |line: &str| {
        let (offset, hex) = line.split_once(' ').unwrap();
        let frame = bytes(hex);
        let record = metadata_frame::decode(frame.clone().into()).unwrap();
        (Offset(offset.parse().unwrap()), frame, record)
    };
    include_str!("data/kafka_metadata.txt").lines().map(line).collect()
}

#[test]
fn records_are_written_in_the_version_that_kafka_writes() {
    for (offset, frame, record) in records() {
        let again = record.encode(record_version(&record)).unwrap();
        assert_eq!(again, frame, "offset {offset}: {record:?}");
    }
}

#[test]
fn the_log_is_replayed() {
    let mut image = Image::empty();
    let mut epochs = Vec::new();
    for (offset, _, record) in records() {
        image.replay_at(offset, &record);
        if let Some(partition) = image.partition("t1", PartitionIndex(0)) {
            let epoch = partition.leader_epoch.get();
            if epochs.last() != Some(&epoch) {
                epochs.push(epoch);
            }
        }
    }
    // Stopped and started: 1 and 2. Killed and started: 3 and 4.
    assert_eq!(epochs[..5], [0, 1, 2, 3, 4]);
    let names: Vec<&str> = image.topics.by_name().map(|topic| &*topic.name).collect();
    assert_eq!(names, ["t1", "t2"]);
    assert_eq!(image.topic("t1").unwrap().partitions.len(), 3);
    let t2 = image.configs.get(ResourceKind::Topic, "t2").unwrap();
    assert_eq!(t2.iter().collect::<Vec<_>>(), [(&"retention.ms".to_owned(), &"7".to_owned())]);
    assert_eq!(image.features.level("metadata.version"), 33);
    assert_eq!(image.features.iter().count(), 6);
    assert_eq!(image.producer_ids.next.get(), 1000);
    assert_eq!(image.quotas.iter().count(), 1);
    let broker = image.broker(BrokerId(1)).unwrap();
    assert_eq!(broker.endpoint("PLAINTEXT").unwrap().port, 19292);
    assert_eq!(broker.features.len(), 7);

    let mut copy = Image::empty();
    image.to_records().iter().for_each(|record| copy.replay(record));
    copy.replay_at(
        Offset(image.next_offset().get() - 1),
        &MetadataRecord::NoOp(Default::default()),
    );
    assert!(copy == image);
}

/// What a record says, without ids that differ from run to run.
fn said(image: &Image, record: &MetadataRecord) -> Option<String> {
    let name = |id| image.topic_by_id(TopicId(id)).map_or("?".into(), |topic| topic.name.clone());
    Some(match record {
        MetadataRecord::Topic(r) => format!("topic {}", r.name),
        MetadataRecord::RemoveTopic(r) => format!("remove {}", name(r.topic_id)),
        MetadataRecord::Partition(r) => format!(
            "partition {}-{} {:?} isr {:?} leader {} epoch {} {} elr {:?}",
            name(r.topic_id),
            r.partition_id,
            r.replicas,
            r.isr,
            r.leader,
            r.leader_epoch,
            r.directories.len(),
            r.eligible_leader_replicas,
        ),
        MetadataRecord::PartitionChange(r) => format!(
            "change {}-{} isr {:?} leader {} elr {:?} last {:?} recovery {}",
            name(r.topic_id),
            r.partition_id,
            r.isr,
            r.leader,
            r.eligible_leader_replicas,
            r.last_known_elr,
            r.leader_recovery_state,
        ),
        MetadataRecord::BrokerRegistrationChange(r) => format!(
            "broker {} fenced {} stopping {} cordoned {:?}",
            r.broker_id, r.fenced, r.in_controlled_shutdown, r.cordoned_log_dirs
        ),
        MetadataRecord::RegisterBroker(r) => format!(
            "register {} fenced {} features {} dirs {}",
            r.broker_id,
            r.fenced,
            r.features.len(),
            r.log_dirs.len()
        ),
        MetadataRecord::ProducerIds(r) => format!("producer ids {}", r.next_producer_id),
        MetadataRecord::UserScramCredential(r) if &*r.name == "alice" => return None,
        MetadataRecord::UserScramCredential(_)
        | MetadataRecord::RemoveUserScramCredential(_)
        | MetadataRecord::Config(_)
        | MetadataRecord::ClientQuota(_)
        | MetadataRecord::FeatureLevel(_) => format!("{record:?}"),
        // A controller's own affairs.
        _ => return None,
    })
}

fn all_said<'a>(records: impl Iterator<Item = &'a MetadataRecord>) -> Vec<String> {
    let mut image = Image::empty();
    let mut all = Vec::new();
    for record in records {
        // Records of the first transaction show late; none of them speaks of a topic.
        let removed = matches!(record, MetadataRecord::RemoveTopic(_));
        all.extend(removed.then(|| said(&image, record)).flatten());
        image.replay(record);
        all.extend((!removed).then(|| said(&image, record)).flatten());
    }
    all
}

/// Asked the same, this controller writes what Kafka wrote, up to the second start. Where one
/// request changes several things their order is not Kafka's, which is that of a hash table.
#[test]
fn the_same_requests_lead_to_the_same_records() {
    let kafka = records();
    let before_kill = kafka.iter().map(|(.., record)| record).take_while({
        let mut starts = 0;
        move |record| {
            starts += i32::from(matches!(record, MetadataRecord::RegisterController(_)));
            starts < 3
        }
    });
    let mut theirs = all_said(before_kill);
    let mut cluster = support::Cluster::empty("");
    script::run(&mut cluster);
    let mut ours = all_said(cluster.log.iter());
    assert!(theirs.len() > 40);
    theirs.sort();
    ours.sort();
    assert_eq!(ours, theirs);
}
