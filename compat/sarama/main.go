// A service as many run it with Sarama: an idempotent producer keyed by order, and a consumer
// group that commits by hand after each order event is processed.
//
// Prints one line a check: "ok NAME" or "not ok NAME: why".
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

const (
	topic      = "orders"
	partitions = 6
	orders     = 200
)

var steps = []string{"created", "paid", "packed", "shipped", "signed"}

func main() {
	brokers := []string{os.Args[1]}
	checks := []struct {
		name string
		run  func([]string) error
	}{
		{"topic is created with six partitions", createTopic},
		{"idempotent producer keeps each order in one partition", produceOrders},
		{"three members share six partitions and process each event in order", consumeAsGroup},
		{"committed offsets reach the end of every partition", committedToTheEnd},
		{"an unprocessed message comes again after the session ends", redeliverAfterFailure},
		{"members beyond the partitions stay idle", seventhMemberIdles},
		{"a partition has one owner while members come and go", oneOwnerUnderRebalance},
		{"another group reads everything again", anotherGroup},
		{"a new group from the newest offset sees only what comes later", newestOnly},
		{"async producer reports every message", asyncProducer},
		{"offsets without commit are lost with the session", marksWithoutCommit},
	}
	for _, check := range checks {
		if err := check.run(brokers); err != nil {
			fmt.Printf("not ok %s: %v\n", check.name, err)
		} else {
			fmt.Printf("ok %s\n", check.name)
		}
	}
}

func settings() *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Producer.Idempotent = true
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Retry.Max = 5
	config.Producer.Return.Successes = true
	config.Producer.Partitioner = sarama.NewHashPartitioner
	config.Net.MaxOpenRequests = 1 // What Sarama asks of idempotent producers.
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.Group.Session.Timeout = 6 * time.Second
	config.Consumer.Group.Heartbeat.Interval = 500 * time.Millisecond
	config.Consumer.Group.Rebalance.Timeout = 10 * time.Second
	config.Consumer.Return.Errors = true
	config.Consumer.MaxWaitTime = 100 * time.Millisecond
	config.Metadata.Retry.Max = 10
	return config
}

func createTopic(brokers []string) error {
	admin, err := sarama.NewClusterAdmin(brokers, settings())
	if err != nil {
		return err
	}
	defer admin.Close()
	detail := &sarama.TopicDetail{NumPartitions: partitions, ReplicationFactor: 1}
	if err := admin.CreateTopic(topic, detail, false); err != nil {
		return err
	}
	described, err := admin.DescribeTopics([]string{topic})
	if err != nil {
		return err
	}
	if len(described) != 1 || len(described[0].Partitions) != partitions {
		return fmt.Errorf("described as %+v", described)
	}
	err = admin.CreateTopic(topic, detail, false)
	if !errors.Is(err, sarama.ErrTopicAlreadyExists) {
		return fmt.Errorf("created twice: %v", err)
	}
	return nil
}

func produceOrders(brokers []string) error {
	producer, err := sarama.NewSyncProducer(brokers, settings())
	if err != nil {
		return err
	}
	defer producer.Close()
	place := map[string]int32{}
	last := map[int32]int64{}
	for _, step := range steps {
		for order := 0; order < orders; order++ {
			key := fmt.Sprintf("order-%d", order)
			partition, offset, err := producer.SendMessage(message(key, step))
			if err != nil {
				return err
			}
			if before, known := place[key]; known && before != partition {
				return fmt.Errorf("%s went to partitions %d and %d", key, before, partition)
			}
			place[key] = partition
			if before, known := last[partition]; known && offset != before+1 {
				return fmt.Errorf("offset %d after %d in partition %d", offset, before, partition)
			}
			last[partition] = offset
		}
	}
	return nil
}

func message(key, value string) *sarama.ProducerMessage {
	return &sarama.ProducerMessage{
		Topic: topic, Key: sarama.StringEncoder(key), Value: sarama.StringEncoder(value),
		Headers: []sarama.RecordHeader{{Key: []byte("event"), Value: []byte(key + "/" + value)}},
	}
}

// ledger is what the business has seen: per order how far it went, and each event once.
type ledger struct {
	sync.Mutex
	next    map[string]int
	seen    map[string]int
	owners  map[int32]string
	trouble error
	claims  map[string]int
	failAt  string
	failed  int
	commit  bool
}

func newLedger() *ledger {
	return &ledger{
		next: map[string]int{}, seen: map[string]int{}, owners: map[int32]string{},
		claims: map[string]int{}, commit: true,
	}
}

func (l *ledger) count() int {
	l.Lock()
	defer l.Unlock()
	return len(l.seen)
}

type member struct {
	name   string
	ledger *ledger
}

func (m *member) Setup(session sarama.ConsumerGroupSession) error {
	m.ledger.Lock()
	defer m.ledger.Unlock()
	m.ledger.claims[m.name] = 0
	for _, claimed := range session.Claims() {
		m.ledger.claims[m.name] += len(claimed)
	}
	return nil
}

func (m *member) Cleanup(sarama.ConsumerGroupSession) error { return nil }

var errProcess = errors.New("processing failed")

func (m *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	m.own(claim.Partition())
	defer m.disown(claim.Partition())
	marked := 0
	for {
		select {
		case msg, open := <-claim.Messages():
			if !open {
				return nil
			}
			if err := m.process(msg); err != nil {
				return err
			}
			session.MarkMessage(msg, "")
			marked++
			atEnd := msg.Offset+1 == claim.HighWaterMarkOffset()
			if m.ledger.commit && (atEnd || marked%20 == 0) {
				session.Commit()
			}
		case <-session.Context().Done():
			return nil
		}
	}
}

func (m *member) own(partition int32) {
	l := m.ledger
	l.Lock()
	defer l.Unlock()
	if owner := l.owners[partition]; owner != "" && l.trouble == nil {
		l.trouble = fmt.Errorf("%s and %s own partition %d at once", owner, m.name, partition)
	}
	l.owners[partition] = m.name
}

func (m *member) disown(partition int32) {
	m.ledger.Lock()
	defer m.ledger.Unlock()
	m.ledger.owners[partition] = ""
}

func (m *member) process(msg *sarama.ConsumerMessage) error {
	l := m.ledger
	l.Lock()
	defer l.Unlock()
	key, value := string(msg.Key), string(msg.Value)
	event := key + "/" + value
	if l.failAt == event && l.failed == 0 {
		l.failed++
		return errProcess
	}
	l.seen[event]++
	if l.seen[event] > 1 {
		return nil // Seen before: the business is idempotent.
	}
	if l.next[key] < len(steps) && steps[l.next[key]] != value && l.trouble == nil {
		l.trouble = fmt.Errorf("%s: %s instead of %s", key, value, steps[l.next[key]])
	}
	l.next[key]++
	if len(msg.Headers) != 1 || string(msg.Headers[0].Value) != event {
		l.trouble = fmt.Errorf("%s: headers %v", event, msg.Headers)
	}
	return nil
}

// start joins a member; the returned function leaves the group.
func start(brokers []string, group, name string, l *ledger, config *sarama.Config) (func(), error) {
	client, err := sarama.NewConsumerGroup(brokers, group, config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		for range client.Errors() {
			// A failed claim is reported here; Consume joins again.
		}
	}()
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := client.Consume(ctx, []string{topic}, &member{name, l}); err != nil {
				time.Sleep(50 * time.Millisecond)
			}
		}
	}()
	return func() { cancel(); <-done; client.Close() }, nil
}

// joining is as settings, with room for a commit beside a fetch that waits.
func joining() *sarama.Config {
	config := settings()
	config.Producer.Idempotent = false
	config.Net.MaxOpenRequests = 5
	return config
}

func startAll(brokers []string, group string, count int, l *ledger) (func(), error) {
	var stops []func()
	stopAll := func() {
		var wait sync.WaitGroup
		for _, stop := range stops {
			wait.Add(1)
			go func() { defer wait.Done(); stop() }()
		}
		wait.Wait()
	}
	for i := 0; i < count; i++ {
		stop, err := start(brokers, group, fmt.Sprintf("m%d", i), l, joining())
		if err != nil {
			stopAll()
			return nil, err
		}
		stops = append(stops, stop)
	}
	return stopAll, nil
}

func wait(what string, limit time.Duration, holds func() bool) error {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if holds() {
			return nil
		}
	}
	return fmt.Errorf("no sign of it in %s: %s", limit, what)
}

func all(l *ledger) func() bool {
	return func() bool { return l.count() >= orders*len(steps) }
}

func (l *ledger) verdict() error {
	l.Lock()
	defer l.Unlock()
	return l.trouble
}

func (l *ledger) shares() map[string]int {
	l.Lock()
	defer l.Unlock()
	shares := map[string]int{}
	for name, claimed := range l.claims {
		shares[name] = claimed
	}
	return shares
}

func consumeAsGroup(brokers []string) error {
	l := newLedger()
	stop, err := startAll(brokers, "billing", 3, l)
	if err != nil {
		return err
	}
	defer stop()
	if err := wait("two partitions each", 20*time.Second, func() bool {
		shares := l.shares()
		return len(shares) == 3 && shares["m0"] == 2 && shares["m1"] == 2 && shares["m2"] == 2
	}); err != nil {
		return fmt.Errorf("%w: %v", err, l.shares())
	}
	if err := wait("every event", 20*time.Second, all(l)); err != nil {
		return fmt.Errorf("%w: %d of %d", err, l.count(), orders*len(steps))
	}
	return l.verdict()
}

func committed(brokers []string, group string) (map[int32]int64, map[int32]int64, error) {
	client, err := sarama.NewClient(brokers, settings())
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	admin, err := sarama.NewClusterAdminFromClient(client)
	if err != nil {
		return nil, nil, err
	}
	answer, err := admin.ListConsumerGroupOffsets(group, map[string][]int32{topic: {0, 1, 2, 3, 4, 5}})
	if err != nil {
		return nil, nil, err
	}
	offsets, ends := map[int32]int64{}, map[int32]int64{}
	for partition, block := range answer.Blocks[topic] {
		offsets[partition] = block.Offset
		if ends[partition], err = client.GetOffset(topic, partition, sarama.OffsetNewest); err != nil {
			return nil, nil, err
		}
	}
	return offsets, ends, nil
}

func committedToTheEnd(brokers []string) error {
	offsets, ends, err := committed(brokers, "billing")
	if err != nil {
		return err
	}
	if len(offsets) != partitions {
		return fmt.Errorf("offsets of %d partitions", len(offsets))
	}
	for partition, offset := range offsets {
		if offset != ends[partition] {
			return fmt.Errorf("partition %d: %d of %d", partition, offset, ends[partition])
		}
	}
	return nil
}

func redeliverAfterFailure(brokers []string) error {
	l := newLedger()
	l.failAt = "order-42/packed"
	stop, err := startAll(brokers, "shipping", 2, l)
	if err != nil {
		return err
	}
	defer stop()
	if err := wait("every event", 30*time.Second, all(l)); err != nil {
		return fmt.Errorf("%w: %d", err, l.count())
	}
	if l.failed != 1 {
		return errors.New("processing did not fail")
	}
	return l.verdict()
}

func seventhMemberIdles(brokers []string) error {
	l := newLedger()
	stop, err := startAll(brokers, "many", partitions+1, l)
	if err != nil {
		return err
	}
	defer stop()
	return wait("six members with one partition and one with none", 30*time.Second, func() bool {
		ones, idle := 0, 0
		for _, claimed := range l.shares() {
			if claimed == 1 {
				ones++
			}
			if claimed == 0 {
				idle++
			}
		}
		return ones == partitions && idle == 1
	})
}

func oneOwnerUnderRebalance(brokers []string) error {
	l := newLedger()
	stop, err := startAll(brokers, "moving", 1, l)
	if err != nil {
		return err
	}
	defer stop()
	for i := 0; i < 3; i++ {
		leave, err := start(brokers, "moving", fmt.Sprintf("guest%d", i), l, joining())
		if err != nil {
			return err
		}
		time.Sleep(700 * time.Millisecond)
		leave()
	}
	if err := wait("every event", 30*time.Second, all(l)); err != nil {
		return fmt.Errorf("%w: %d", err, l.count())
	}
	return l.verdict()
}

func anotherGroup(brokers []string) error {
	l := newLedger()
	stop, err := startAll(brokers, "reports", 1, l)
	if err != nil {
		return err
	}
	defer stop()
	if err := wait("every event", 20*time.Second, all(l)); err != nil {
		return fmt.Errorf("%w: %d", err, l.count())
	}
	for event, times := range l.seen {
		if times != 1 {
			return fmt.Errorf("%s came %d times", event, times)
		}
	}
	return l.verdict()
}

func newestOnly(brokers []string) error {
	l := newLedger()
	config := joining()
	config.Consumer.Offsets.Initial = sarama.OffsetNewest
	stop, err := start(brokers, "late", "m0", l, config)
	if err != nil {
		return err
	}
	defer stop()
	if err := wait("partitions", 20*time.Second, func() bool { return l.shares()["m0"] == partitions }); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond)
	producer, err := sarama.NewSyncProducer(brokers, settings())
	if err != nil {
		return err
	}
	defer producer.Close()
	if _, _, err := producer.SendMessage(message("late-1", steps[0])); err != nil {
		return err
	}
	if err := wait("the late event", 10*time.Second, func() bool { return l.count() > 0 }); err != nil {
		return err
	}
	if l.count() != 1 {
		return fmt.Errorf("%d events", l.count())
	}
	return l.verdict()
}

func asyncProducer(brokers []string) error {
	const count = 5000
	for _, codec := range []sarama.CompressionCodec{
		sarama.CompressionNone, sarama.CompressionGZIP, sarama.CompressionSnappy,
		sarama.CompressionLZ4, sarama.CompressionZSTD,
	} {
		config := settings()
		config.Producer.Compression = codec
		producer, err := sarama.NewAsyncProducer(brokers, config)
		if err != nil {
			return err
		}
		go func() {
			for i := 0; i < count; i++ {
				producer.Input() <- &sarama.ProducerMessage{
					Topic: "bulk", Key: sarama.StringEncoder(fmt.Sprint(i)),
					Value: sarama.StringEncoder(fmt.Sprintf("value %d of codec %s", i, codec)),
				}
			}
			producer.AsyncClose()
		}()
		sent := 0
		var failure error
		successes, failures := producer.Successes(), producer.Errors()
		for successes != nil || failures != nil {
			select {
			case _, open := <-successes:
				if !open {
					successes = nil
				} else {
					sent++
				}
			case failed, open := <-failures:
				if !open {
					failures = nil
				} else {
					failure = failed
				}
			}
		}
		if failure != nil || sent != count {
			return fmt.Errorf("%s: %d sent, %v", codec, sent, failure)
		}
	}
	return nil
}

func marksWithoutCommit(brokers []string) error {
	for round := 0; round < 2; round++ {
		l := newLedger()
		l.commit = false
		stop, err := startAll(brokers, "careless", 1, l)
		if err != nil {
			return err
		}
		err = wait("every event", 20*time.Second, all(l))
		stop()
		if err != nil {
			return fmt.Errorf("round %d: %w: %d", round, err, l.count())
		}
	}
	offsets, _, err := committed(brokers, "careless")
	if err != nil {
		return err
	}
	for partition, offset := range offsets {
		if offset != -1 {
			return fmt.Errorf("partition %d has offset %d", partition, offset)
		}
	}
	return nil
}
