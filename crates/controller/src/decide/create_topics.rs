//! CreateTopics (19).

use std::collections::{BTreeMap, BTreeSet};

use highwater_config::{Overrides, decide_new_topic};
use highwater_types::{BrokerId, PartitionIndex, TopicId, Uuid};
use highwater_wire::messages::create_topics_request::{CreatableTopic, CreateTopicsRequest};
use highwater_wire::messages::create_topics_response::{
    CreatableTopicResult, CreateTopicsResponse,
};
use highwater_wire::messages::{ConfigRecord, TopicRecord};
use highwater_wire::metadata_frame::MetadataRecord;
use highwater_wire::{ErrorCode, Str};

use super::manual_assignment::check_replicas;
use super::{ControllerCx, Decided, new_partition, usable_brokers};
use crate::describe::topic_configs;
use crate::draft::Draft;
use crate::error::{ApiError, Outcome, parts};
use crate::image::{Image, PartitionImage, ResourceKind, brokers};
use crate::limits::{PARTITIONS_PER_REQUEST_MAX, RECORDS_PER_REQUEST_MAX};
use crate::placement::place;
use crate::settings;
use crate::topic_name::{CLUSTER_METADATA, check_topic_name, may_collide, unified};
use crate::view::ControllerView;

pub fn decide_create_topics(
    image: &Image,
    request: &CreateTopicsRequest,
    cx: &mut ControllerCx<'_>,
) -> Decided<CreateTopicsResponse> {
    let names = Names::of(image, request);
    let mut draft = Draft::new(image);
    let too_many = check_partition_total(request, cx.view).err();
    let mut topics = Vec::new();
    for topic in &request.topics {
        if names.twice.contains(&topic.name) {
            continue;
        }
        let outcome = match &too_many {
            Some(error) => Err(error.clone()),
            None => names.check(topic, image).and_then(|()| create(topic, &mut draft, cx)),
        };
        topics.push(outcome.unwrap_or_else(|error| refused(&topic.name, error)));
    }
    topics.extend(names.twice.iter().map(|name| {
        let why = "The topic is named more than once in this request.";
        refused(name, ApiError::new(ErrorCode::INVALID_REQUEST, why))
    }));
    if draft.records.len() > RECORDS_PER_REQUEST_MAX {
        let why = format!("One request may write at most {RECORDS_PER_REQUEST_MAX} records.");
        let error = ApiError::new(ErrorCode::POLICY_VIOLATION, why);
        topics = request.topics.iter().map(|topic| refused(&topic.name, error.clone())).collect();
        draft = Draft::new(image);
    }
    let records = if request.validate_only { Vec::new() } else { draft.records };
    Decided { records, reply: CreateTopicsResponse { topics, ..CreateTopicsResponse::default() } }
}

fn refused(name: &Str, error: ApiError) -> CreatableTopicResult {
    let (error_code, error_message) = parts::<()>(&Err(error));
    CreatableTopicResult {
        name: name.clone(),
        error_code,
        error_message,
        ..CreatableTopicResult::default()
    }
}

/// What the names of one request and those that exist have to do with each other.
struct Names {
    /// Named more than once in the request.
    twice: BTreeSet<Str>,
    /// Existing topics that another could be mistaken for, by what they are mistaken by.
    alike: BTreeMap<String, Str>,
}

impl Names {
    fn of(image: &Image, request: &CreateTopicsRequest) -> Names {
        let mut once = BTreeSet::new();
        let again = request.topics.iter().filter(|topic| !once.insert(&topic.name));
        let twice = again.map(|topic| topic.name.clone()).collect();
        let ambiguous = request.topics.iter().any(|topic| may_collide(&topic.name));
        let existing = ambiguous.then(|| image.topics.by_name()).into_iter().flatten();
        let alike = existing
            .filter(|topic| may_collide(&topic.name))
            .map(|topic| (unified(&topic.name), topic.name.clone()))
            .collect();
        Names { twice, alike }
    }

    fn check(&self, topic: &CreatableTopic, image: &Image) -> Outcome {
        let name = &topic.name;
        if &**name == CLUSTER_METADATA {
            let why =
                format!("{CLUSTER_METADATA} is the metadata log itself; it cannot be created.");
            return Err(ApiError::new(ErrorCode::INVALID_REQUEST, why));
        }
        check_topic_name(name)?;
        if image.topic(name).is_some() {
            let why = format!("Topic '{name}' already exists.");
            return Err(ApiError::new(ErrorCode::TOPIC_ALREADY_EXISTS, why));
        }
        let alike = may_collide(name).then(|| self.alike.get(&unified(name))).flatten();
        if let Some(other) = alike {
            let why = format!(
                "Topic '{name}' cannot be told from the existing '{other}' in metrics, \
                 where '.' and '_' are the same."
            );
            return Err(ApiError::new(ErrorCode::INVALID_TOPIC_EXCEPTION, why));
        }
        Ok(())
    }
}

fn check_partition_total(request: &CreateTopicsRequest, view: &ControllerView) -> Outcome {
    let partitions = request.topics.iter().map(|topic| match topic.num_partitions {
        _ if !topic.assignments.is_empty() => topic.assignments.len() as i64,
        -1 => default_partitions(view),
        count => i64::from(count.max(0)),
    });
    let total: i64 = partitions.sum();
    if total > PARTITIONS_PER_REQUEST_MAX {
        let why = format!(
            "{total} partitions are too many for one request; \
             at most {PARTITIONS_PER_REQUEST_MAX} can be created at a time."
        );
        return Err(ApiError::new(ErrorCode::POLICY_VIOLATION, why));
    }
    Ok(())
}

fn default_partitions(view: &ControllerView) -> i64 {
    settings::static_value(view, "num.partitions").and_then(|value| value.as_i64()).unwrap_or(1)
}

fn default_replication_factor(view: &ControllerView) -> i64 {
    let value = settings::static_value(view, "default.replication.factor");
    value.and_then(|value| value.as_i64()).unwrap_or(1)
}

fn create(
    topic: &CreatableTopic,
    draft: &mut Draft,
    cx: &mut ControllerCx<'_>,
) -> Outcome<CreatableTopicResult> {
    let overrides = topic_overrides(topic, &draft.image, cx.view)?;
    let partitions = if topic.assignments.is_empty() {
        placed(topic, &draft.image, cx)?
    } else {
        assigned(topic, &draft.image)?
    };
    let id = TopicId(fresh_id(&draft.image, cx));
    let replication_factor = partitions.first().map_or(0, |partition| partition.replicas.len());
    let result = CreatableTopicResult {
        name: topic.name.clone(),
        topic_id: id.0,
        error_message: None,
        num_partitions: partitions.len() as i32,
        replication_factor: replication_factor as i16,
        configs: Some(topic_configs(&overrides, &draft.image, cx.view)),
        ..CreatableTopicResult::default()
    };
    draft.push(MetadataRecord::Topic(TopicRecord {
        name: topic.name.clone(),
        topic_id: id.0,
        ..TopicRecord::default()
    }));
    draft.extend(overrides.iter().map(|(name, value)| {
        MetadataRecord::Config(ConfigRecord {
            resource_type: ResourceKind::Topic.code(),
            resource_name: topic.name.clone(),
            name: Str::from(name.as_str()),
            value: Some(Str::from(value.as_str())),
            ..ConfigRecord::default()
        })
    }));
    draft.extend((0..).zip(&partitions).map(|(index, partition)| {
        MetadataRecord::Partition(partition.to_record(id, PartitionIndex(index)))
    }));
    Ok(result)
}

fn fresh_id(image: &Image, cx: &mut ControllerCx<'_>) -> Uuid {
    loop {
        let id = Uuid::random(cx.entropy);
        if image.topic_by_id(TopicId(id)).is_none() {
            return id;
        }
    }
}

fn topic_overrides(
    topic: &CreatableTopic,
    image: &Image,
    view: &ControllerView,
) -> Outcome<Overrides> {
    let configs = topic.configs.iter();
    let given: Vec<(&str, Option<&str>)> =
        configs.map(|config| (&*config.name, config.value.as_deref())).collect();
    Ok(decide_new_topic(&given, &settings::layers(view, image))?)
}

/// Partitions that the controller places.
fn placed(
    topic: &CreatableTopic,
    image: &Image,
    cx: &mut ControllerCx<'_>,
) -> Outcome<Vec<PartitionImage>> {
    if topic.replication_factor < -1 || topic.replication_factor == 0 {
        let why = "The replication factor must be above 0, or -1 for the default.";
        return Err(ApiError::new(ErrorCode::INVALID_REPLICATION_FACTOR, why));
    }
    if topic.num_partitions < -1 || topic.num_partitions == 0 {
        let why = "The number of partitions must be above 0, or -1 for the default.";
        return Err(ApiError::new(ErrorCode::INVALID_PARTITIONS, why));
    }
    let or_default = |given: i64, default: i64| if given == -1 { default } else { given };
    let count = or_default(topic.num_partitions.into(), default_partitions(cx.view));
    let factor =
        or_default(topic.replication_factor.into(), default_replication_factor(cx.view)) as usize;
    let placements = place(count as usize, factor, &usable_brokers(image), cx.entropy)?;
    let partitions = placements.iter().map(|replicas| new_partition(image, replicas));
    partitions.collect::<Option<Vec<_>>>().ok_or_else(|| {
        let why = "All brokers are fenced or shutting down.";
        ApiError::new(ErrorCode::INVALID_REPLICATION_FACTOR, why)
    })
}

/// Partitions that the request places itself.
fn assigned(topic: &CreatableTopic, image: &Image) -> Outcome<Vec<PartitionImage>> {
    let bad_request = |what: &str| {
        let why = format!("With an assignment of one's own, {what} must be -1.");
        Err(ApiError::new(ErrorCode::INVALID_REQUEST, why))
    };
    if topic.replication_factor != -1 {
        return bad_request("the replication factor");
    }
    if topic.num_partitions != -1 {
        return bad_request("the number of partitions");
    }
    let refused = |why: String| Err(ApiError::new(ErrorCode::INVALID_REPLICA_ASSIGNMENT, why));
    let mut by_index = BTreeMap::new();
    let mut factor = None;
    for assignment in &topic.assignments {
        let index = assignment.partition_index;
        let replicas: Vec<BrokerId> = brokers(&assignment.broker_ids);
        if by_index.contains_key(&index) {
            return refused(format!("Partition {index} is assigned more than once."));
        }
        check_replicas(&replicas, factor, image)?;
        factor = Some(replicas.len());
        let Some(partition) = new_partition(image, &replicas) else {
            return refused(format!(
                "All brokers assigned to partition {index} are fenced or shutting down."
            ));
        };
        by_index.insert(index, partition);
    }
    if by_index.keys().copied().ne(0..by_index.len() as i32) {
        return refused("Partitions must be numbered from 0 without a hole.".into());
    }
    Ok(by_index.into_values().collect())
}
