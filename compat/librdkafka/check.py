"""confluent-kafka (librdkafka) as services use it: producer, consumer, groups, admin.

Prints one line a check: "ok NAME" or "not ok NAME: why".
"""

import sys
import threading
import time
import traceback
import uuid

from confluent_kafka import (
    Consumer, ConsumerGroupTopicPartitions, IsolationLevel, KafkaError, KafkaException, Producer,
    TopicCollection, TopicPartition, OFFSET_BEGINNING, OFFSET_END,
    ConsumerGroupState, ElectionType,
)
from confluent_kafka.admin import (
    AclBinding, AclOperation, AclPermissionType, AdminClient, AlterConfigOpType, ConfigEntry,
    ConfigResource, NewPartitions, NewTopic, OffsetSpec, ResourcePatternType, ResourceType,
    ScramCredentialInfo, ScramMechanism, UserScramCredentialDeletion, UserScramCredentialUpsertion,
)

BROKER = sys.argv[1]
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def name():
    return 'rd-' + uuid.uuid4().hex[:10]


ADMIN = AdminClient({'bootstrap.servers': BROKER})


def admin():
    return ADMIN


def create(partitions=1, **config):
    topic = name()
    new = NewTopic(topic, num_partitions=partitions, replication_factor=1, config=config)
    admin().create_topics([new])[topic].result(30)
    return topic


def produce(topic, values, partition=None, key=None, headers=None, **config):
    """Returns the messages as delivered."""
    delivered, failed = [], []
    producer = Producer({'bootstrap.servers': BROKER, 'linger.ms': 5, **config})

    def report(error, message):
        (failed if error else delivered).append(error or message)

    for value in values:
        place = {} if partition is None else {'partition': partition}
        producer.produce(topic, value, key=key, headers=headers, callback=report, **place)
        producer.poll(0)
    left = producer.flush(30)
    assert left == 0 and not failed, (left, failed[:3])
    return delivered


def consumer(group=None, **config):
    return Consumer({
        'bootstrap.servers': BROKER, 'group.id': group or name(), 'enable.auto.commit': False,
        'auto.offset.reset': 'earliest', 'session.timeout.ms': 6000, **config,
    })


def read(source, count, seconds=20):
    messages, end = [], time.time() + seconds
    while len(messages) < count and time.time() < end:
        for message in source.consume(500, 0.2):
            assert message.error() is None, message.error()
            messages.append(message)
    assert len(messages) >= count, f'{len(messages)} of {count}'
    return messages


def read_topic(topic, count, partitions=1, **config):
    source = consumer(**config)
    source.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in range(partitions)])
    messages = read(source, count)
    source.close()
    return messages


def same(got, expected):
    assert got == expected, f'{got!r} instead of {expected!r}'


@check
def every_codec_comes_back_as_it_was_sent():
    for codec in ['none', 'gzip', 'snappy', 'lz4', 'zstd']:
        topic = create()
        values = [f'{codec}-{i}'.encode() * 20 for i in range(2000)]
        produce(topic, values, **{'compression.type': codec})
        same([m.value() for m in read_topic(topic, 2000)], values)


@check
def a_topic_with_a_codec_of_its_own_recompresses():
    for codec in ['gzip', 'snappy', 'lz4', 'zstd', 'uncompressed']:
        topic = create(**{'compression.type': codec})
        values = [b'x' * 300 for _ in range(500)]
        produce(topic, values, **{'compression.type': 'lz4'})
        same([m.value() for m in read_topic(topic, 500)], values)


@check
def keys_values_and_headers_keep_null_and_empty():
    topic = create()
    headers = [('a', b'1'), ('a', b'2'), ('none', None), ('empty', b''), ('ü', 'ß'.encode())]
    for key, value in [(None, b'v'), (b'', b''), (b'k', None)]:
        produce(topic, [value], key=key, headers=headers)
    got = read_topic(topic, 3)
    same([(m.key(), m.value()) for m in got], [(None, b'v'), (b'', b''), (b'k', None)])
    for message in got:
        same(message.headers(), headers)


@check
def the_idempotent_producer_keeps_order_with_five_in_flight():
    topic = create()
    values = [str(i).encode() for i in range(20000)]
    produce(topic, values, **{'enable.idempotence': True, 'batch.num.messages': 50})
    same([m.value() for m in read_topic(topic, 20000)], values)


@check
def each_acks_setting_is_served():
    for acks in ['0', '1', 'all']:
        topic = create()
        produce(topic, [b'a', b'b'], acks=acks)
        same([m.value() for m in read_topic(topic, 2)], [b'a', b'b'])


@check
def a_record_over_the_limit_is_refused_and_the_producer_lives():
    topic = create(**{'max.message.bytes': '20000'})
    producer = Producer({'bootstrap.servers': BROKER, 'message.max.bytes': 10_000_000})
    codes = []
    for value in [b'x' * 50000, b'ok']:
        producer.produce(topic, value, callback=lambda e, m: codes.append(e.code() if e else 0))
        producer.flush(20)
    same(codes, [KafkaError.MSG_SIZE_TOO_LARGE, 0])


@check
def timestamps_are_the_producers_or_the_brokers():
    for kind, config, number in [('create', 'CreateTime', 1), ('append', 'LogAppendTime', 2)]:
        topic = create(**{'message.timestamp.type': config})
        before = int(time.time() * 1000)
        producer = Producer({'bootstrap.servers': BROKER})
        producer.produce(topic, b'v', timestamp=before - 5000)
        producer.flush(20)
        (message,) = read_topic(topic, 1)
        same(message.timestamp()[0], number)
        moved = message.timestamp()[1] - before
        assert (moved == -5000) if kind == 'create' else (0 <= moved < 20000), moved


@check
def offsets_are_found_by_time():
    topic = create()
    start = int(time.time() * 1000) - 100_000
    producer = Producer({'bootstrap.servers': BROKER})
    for i in range(10):
        producer.produce(topic, str(i).encode(), timestamp=start + i * 1000)
    producer.flush(20)
    source = consumer()
    for ask, expected in [(start, 0), (start + 1, 1), (start + 9000, 9), (start + 9001, -1)]:
        (found,) = source.offsets_for_times([TopicPartition(topic, 0, ask)], 10)
        same(found.offset, expected if expected >= 0 else OFFSET_END)
    same(source.get_watermark_offsets(TopicPartition(topic, 0), 10), (0, 10))
    source.close()


@check
def a_consumer_seeks_pauses_and_resumes():
    topic = create()
    produce(topic, [str(i).encode() for i in range(100)])
    source = consumer()
    place = TopicPartition(topic, 0, 90)
    source.assign([place])
    same([m.offset() for m in read(source, 10)], list(range(90, 100)))
    source.seek(TopicPartition(topic, 0, 5))
    same(read(source, 1)[0].offset(), 5)
    source.pause([TopicPartition(topic, 0)])
    source.seek(TopicPartition(topic, 0, 50))
    assert all(m.offset() < 100 for m in source.consume(1, 0.5))
    source.close()


@check
def a_seek_into_a_batch_begins_there():
    for codec in ['none', 'gzip', 'snappy', 'lz4', 'zstd']:
        topic = create()
        values = [f'value {i}'.encode() for i in range(100)]
        produce(topic, values, **{'compression.type': codec, 'linger.ms': 200})
        for asked in [1, 50, 99]:
            source = consumer()
            source.assign([TopicPartition(topic, 0, asked)])
            first = read(source, 1)[0]
            same((codec, first.offset(), first.value()), (codec, asked, values[asked]))
            source.close()


@check
def the_end_of_a_partition_is_told():
    topic = create()
    produce(topic, [b'1'])
    source = consumer(**{'enable.partition.eof': True})
    source.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    codes, end = [], time.time() + 10
    while len(codes) < 2 and time.time() < end:
        message = source.poll(0.5)
        if message is not None:
            codes.append(message.error().code() if message.error() else 0)
    same(codes, [0, KafkaError._PARTITION_EOF])
    source.close()


@check
def an_offset_out_of_range_is_reset_or_told():
    topic = create()
    produce(topic, [b'1', b'2'])
    source = consumer(**{'auto.offset.reset': 'error'})
    source.assign([TopicPartition(topic, 0, 77)])
    end = time.time() + 10
    while time.time() < end:
        message = source.poll(0.5)
        if message is not None and message.error():
            same(message.error().code(), KafkaError._AUTO_OFFSET_RESET)
            break
    else:
        raise AssertionError('no error')
    source.close()


def share(topic, members, strategy, partitions):
    group, sources, stop = name(), [], threading.Event()
    owned = {}

    def run(number):
        source = consumer(group, **{'partition.assignment.strategy': strategy,
                                    'heartbeat.interval.ms': 500})
        sources.append(source)
        source.subscribe([topic])
        while not stop.is_set():
            source.poll(0.1)
            owned[number] = {p.partition for p in source.assignment()}
        source.close()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(members)]
    for thread in threads:
        thread.start()
    end = time.time() + 30
    wanted = set(range(partitions))
    try:
        while time.time() < end:
            parts = list(owned.values())
            whole = set().union(*parts) if parts else set()
            if len(parts) == members and whole == wanted and sum(map(len, parts)) == partitions \
                    and min(map(len, parts)) >= partitions // members:
                return
            time.sleep(0.1)
        raise AssertionError(f'{owned}')
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@check
def a_group_shares_partitions_by_range():
    share(create(6), 3, 'range', 6)


@check
def a_group_shares_partitions_cooperatively():
    share(create(6), 3, 'cooperative-sticky', 6)


@check
def a_group_goes_on_where_it_committed():
    topic, group = create(), name()
    produce(topic, [str(i).encode() for i in range(100)])
    first = consumer(group)
    first.subscribe([topic])
    read(first, 100)
    first.commit(offsets=[TopicPartition(topic, 0, 40)], asynchronous=False)
    (place,) = first.committed([TopicPartition(topic, 0)], 10)
    same(place.offset, 40)
    first.close()
    second = consumer(group)
    second.subscribe([topic])
    same(read(second, 60)[0].offset(), 40)
    second.close()


@check
def a_static_member_comes_back_without_a_rebalance():
    topic, group = create(4), name()
    generations = []
    for _ in range(2):
        source = consumer(group, **{'group.instance.id': 'one', 'heartbeat.interval.ms': 500})
        source.subscribe([topic])
        end = time.time() + 20
        while not source.assignment() and time.time() < end:
            source.poll(0.2)
        same(len(source.assignment()), 4)
        described = admin().describe_consumer_groups([group])[group].result(10)
        generations.append([m.group_instance_id for m in described.members])
        source.close()
    same(generations, [['one'], ['one']])


@check
def topics_are_created_described_grown_and_deleted():
    client, topic = admin(), create(2)
    described = client.describe_topics(TopicCollection([topic]))[topic].result(10)
    same((len(described.partitions), described.is_internal), (2, False))
    client.create_partitions([NewPartitions(topic, 5)])[topic].result(10)
    same(len(client.list_topics(topic, 10).topics[topic].partitions), 5)
    try:
        client.create_topics([NewTopic(topic, 1, 1)])[topic].result(10)
        raise AssertionError('created twice')
    except KafkaException as error:
        same(error.args[0].code(), KafkaError.TOPIC_ALREADY_EXISTS)
    client.delete_topics([topic])[topic].result(10)
    end = time.time() + 10
    while topic in client.list_topics(timeout=10).topics and time.time() < end:
        time.sleep(0.1)
    assert topic not in client.list_topics(timeout=10).topics


@check
def bad_topics_are_refused_with_kafkas_codes():
    client = admin()
    for new, code in [
        (NewTopic('bad name', 1, 1), KafkaError.TOPIC_EXCEPTION),
        (NewTopic(name(), 0, 1), KafkaError.INVALID_PARTITIONS),
        (NewTopic(name(), 1, 3), KafkaError.INVALID_REPLICATION_FACTOR),
        (NewTopic(name(), 1, 1, config={'retention.ms': 'x'}), KafkaError.INVALID_CONFIG),
    ]:
        try:
            client.create_topics([new])[new.topic].result(10)
            raise AssertionError(f'{new.topic} was created')
        except KafkaException as error:
            same(error.args[0].code(), code)


@check
def settings_are_described_and_changed_one_by_one():
    client, topic = admin(), create()
    resource = ConfigResource(ResourceType.TOPIC, topic)
    entries = client.describe_configs([resource])[resource].result(10)
    same(entries['retention.ms'].value, '604800000')
    change = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[
        ConfigEntry('retention.ms', '1000', incremental_operation=AlterConfigOpType.SET)])
    client.incremental_alter_configs([change])[change].result(10)
    entries = client.describe_configs([resource])[resource].result(10)
    same((entries['retention.ms'].value, entries['retention.ms'].is_default), ('1000', False))
    broker = ConfigResource(ResourceType.BROKER, str(next(iter(client.list_topics().brokers))))
    assert 'log.retention.hours' in client.describe_configs([broker])[broker].result(10)


def comes_true(holds, seconds=10):
    """Kafka answers from older metadata for a moment."""
    end = time.time() + seconds
    while not holds():
        assert time.time() < end, 'it never came true'
        time.sleep(0.1)


@check
def settings_are_replaced_together_by_the_old_request():
    client, topic = admin(), create(**{'retention.ms': '1000', 'segment.ms': '60000'})
    change = ConfigResource(ResourceType.TOPIC, topic, set_config={'retention.ms': '2000'})
    client.alter_configs([change])[change].result(10)
    resource = ConfigResource(ResourceType.TOPIC, topic)

    def replaced():
        entries = client.describe_configs([resource])[resource].result(10)
        kept = entries['segment.ms']
        return (entries['retention.ms'].value, kept.is_default) == ('2000', True)

    comes_true(replaced)


@check
def leaders_are_elected_only_where_that_is_needed():
    topic = create()
    place = TopicPartition(topic, 0)
    elected = admin().elect_leaders(ElectionType.PREFERRED, [place]).result(10)
    same(elected[place].code(), KafkaError.ELECTION_NOT_NEEDED)


@check
def scram_credentials_are_written_described_and_deleted():
    client, user = admin(), name()
    kind = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 8192)
    new = UserScramCredentialUpsertion(user, kind, b'secret')
    client.alter_user_scram_credentials([new])[user].result(10)

    def known():
        try:
            described = client.describe_user_scram_credentials([user])[user].result(10)
            return [i.iterations for i in described.scram_credential_infos]
        except KafkaException as error:
            same(error.args[0].code(), KafkaError.RESOURCE_NOT_FOUND)
            return []

    comes_true(lambda: known() == [8192])
    old = UserScramCredentialDeletion(user, ScramMechanism.SCRAM_SHA_256)
    client.alter_user_scram_credentials([old])[user].result(10)
    comes_true(lambda: known() == [])


@check
def acls_are_refused_without_an_authorizer():
    acl = AclBinding(ResourceType.TOPIC, name(), ResourcePatternType.LITERAL, 'User:a', '*',
                     AclOperation.READ, AclPermissionType.ALLOW)
    try:
        admin().create_acls([acl])[acl].result(10)
        raise AssertionError('it was taken')
    except KafkaException as error:
        same(error.args[0].code(), KafkaError.SECURITY_DISABLED)


@check
def groups_are_listed_described_altered_and_deleted():
    client, topic, group = admin(), create(), name()
    produce(topic, [b'1', b'2', b'3'])
    source = consumer(group)
    source.subscribe([topic])
    read(source, 3)
    source.commit(asynchronous=False)
    described = client.describe_consumer_groups([group])[group].result(10)
    same((described.state, len(described.members)), (ConsumerGroupState.STABLE, 1))
    source.close()
    listed = client.list_consumer_groups().result()
    assert group in [g.group_id for g in listed.valid], listed.errors
    asked = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0)])
    found = client.list_consumer_group_offsets([asked])[group].result(10)
    same(found.topic_partitions[0].offset, 3)
    moved = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0, 1)])
    client.alter_consumer_group_offsets([moved])[group].result(10)
    found = client.list_consumer_group_offsets([asked])[group].result(10)
    same(found.topic_partitions[0].offset, 1)
    client.delete_consumer_groups([group])[group].result(10)
    listed = client.list_consumer_groups().result()
    assert group not in [g.group_id for g in listed.valid]


@check
def offsets_are_listed_and_records_deleted():
    client, topic = admin(), create()
    produce(topic, [str(i).encode() for i in range(10)])
    place = TopicPartition(topic, 0)

    def offset(spec):
        answer = client.list_offsets({place: spec},
                                     isolation_level=IsolationLevel.READ_UNCOMMITTED)
        return answer[place].result(10).offset

    same((offset(OffsetSpec.earliest()), offset(OffsetSpec.latest())), (0, 10))
    client.delete_records([TopicPartition(topic, 0, 4)])[TopicPartition(topic, 0, 4)].result(10)
    same(offset(OffsetSpec.earliest()), 4)
    same(read_topic(topic, 6)[0].offset(), 4)


@check
def the_cluster_is_described():
    described = admin().describe_cluster().result(10)
    same((len(described.nodes), described.controller is not None), (1, True))
    assert described.cluster_id


@check
def a_topic_is_made_when_first_used():
    topic = name()
    (message,) = produce(topic, [b'first'])
    same(message.offset(), 0)
    same(len(admin().list_topics(topic, 10).topics[topic].partitions), 4)


for function in CHECKS:
    title = function.__name__.replace('_', ' ')
    try:
        function()
        print(f'ok {title}', flush=True)
    except BaseException as error:  # Every check is told, whatever it raised.
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(f'not ok {title}: {type(error).__name__}: {error} (line {where.lineno})', flush=True)
