package natsfile

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"earshot/internal/operate/integrity"
	"earshot/internal/state/acklog"
)

// Headers of messages that say which message precedes them, and which ones delete an entry.
const (
	batchSequenceHeader = "Nats-Batch-Sequence"
	expectedLastHeader  = "Nats-Expected-Last-Subject-Sequence"
	operationHeader     = "KV-Operation"
	lifetimeHeader      = "Nats-TTL"
)

// A scan is what the readable records of a stream contain.
type scan struct {
	stream     Stream
	config     []byte // nil if it is unreadable
	properties acklog.Properties
	install    string // ID of the installation in the configuration
	configErr  error
	damage     []Damage
	damaged    bool // there are findings
	mixed      bool // the stream belongs to another installation

	records int
	first   uint64            // lowest sequence number of a message
	last    uint64            // highest sequence number of a message or a tombstone
	content *acklog.Stream    // the messages, including deleted ones
	deleted map[uint64]bool   // sequence numbers of deleted messages
	gaps    []gap             // between messages
	missing map[uint64]string // messages that others follow, with their subjects if they are known

	previous Record // without its contents
}

// A gap is a range of sequence numbers without messages.
type gap struct {
	acklog.Range
	after, before time.Time // times of the messages around it; zero if there is none
}

// scanStream reads a stream. Properties in the log win over those in the configuration, which may be
// damaged.
func scanStream(ctx context.Context, s Stream, known *acklog.Stream, progress integrity.Progress) (*scan, error) {
	c := &scan{stream: s, deleted: map[uint64]bool{}, missing: map[uint64]string{}}
	var cfg config
	c.config, cfg, c.configErr = s.config()
	c.properties, c.install = cfg.properties(), cfg.Metadata[InstallationKey]
	if c.configErr != nil && known != nil {
		c.properties = known.Properties
	}
	c.content = acklog.NewStream(c.properties)
	var err error
	c.damage, err = s.Read(ctx, progress, c.add)
	return c, err
}

func (c *scan) add(r Record) {
	c.records++
	c.last = max(c.last, r.Sequence)
	if r.Deleted {
		c.deleted[r.Sequence] = true
		return
	}
	if c.first == 0 {
		c.first = r.Sequence
	}
	at := time.Unix(0, r.Time).UTC()
	if p := c.previous; r.Sequence > p.Sequence+1 && !c.properties.OnePerName {
		g := gap{Range: acklog.Range{First: p.Sequence + 1, Last: r.Sequence - 1}, before: at}
		if p.Sequence > 0 {
			g.after = time.Unix(0, p.Time).UTC()
		}
		c.gaps = append(c.gaps, g)
	}
	if !c.properties.OnePerName && !c.properties.Contiguous {
		c.follow(r)
	}
	c.content.Add(r.Subject, acklog.Message{
		Deletion: headerValue(r.Header, operationHeader) != "",
		Lifetime: Lifetime(headerValue(r.Header, lifetimeHeader)),
	}, r.Sequence, at)
	c.previous = Record{Sequence: r.Sequence, Time: r.Time, Subject: r.Subject}
}

// follow notes the predecessors of a message that have not been read.
func (c *scan) follow(r Record) {
	if n, err := strconv.ParseUint(headerValue(r.Header, expectedLastHeader), 10, 64); err == nil && n > c.content.Subjects[r.Subject].Sequence {
		c.missing[n] = r.Subject
	}
	if n, err := strconv.ParseUint(headerValue(r.Header, batchSequenceHeader), 10, 64); err == nil && n > 1 && c.previous.Sequence != r.Sequence-1 {
		c.missing[r.Sequence-1] = ""
	}
}

// headerValue returns the value of a header, or "".
func headerValue(headers []byte, name string) string {
	for line := range bytes.SplitSeq(headers, []byte("\r\n")) {
		if key, value, ok := bytes.Cut(line, []byte(":")); ok && string(key) == name {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// live reports whether the last message of a subject is readable and not deleted.
func (c *scan) live(subject string) (acklog.Ack, bool) {
	a, found := c.content.Subjects[subject]
	return a, found && !c.deleted[a.Sequence]
}

// state returns what the stream contains, as a record of what it must contain from now on.
func (c *scan) state(known *acklog.Stream) *acklog.Stream {
	t := acklog.NewStream(c.properties)
	t.Config, t.Last, t.Marks = string(c.config), c.last, c.content.Marks
	for subject := range c.content.Subjects {
		if a, live := c.live(subject); live {
			t.Subjects[subject] = a
		}
	}
	if c.first > 0 {
		t.Floor = c.first - 1
	}
	if known == nil {
		return t
	}
	t.Last, t.Floor = max(t.Last, known.Last), max(t.Floor, known.Floor)
	for _, h := range known.Holes {
		if h.Last > t.Floor {
			t.Holes = append(t.Holes, h)
		}
	}
	for subject, upTo := range known.Purged {
		if a, found := c.content.Subjects[subject]; found && a.Sequence <= upTo {
			t.Purged[subject] = upTo // a deleted message is still in a block
		}
	}
	return t
}

// Lifetime parses the header that limits the lifetime of a message. It returns 0 if there is none.
func Lifetime(header string) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	d, _ := time.ParseDuration(header) // 0 if it is invalid
	return d
}
