package acklog

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// markInterval is the time between two marks of a stream with a maximum age, in seconds. It limits
// how exactly the log knows which messages have expired.
const markInterval = 300

// expirySlack is how much longer than its maximum age a message is remembered, in seconds.
const expirySlack = 3600

// A State is what the streams must contain at least.
type State struct {
	Installation string
	Streams      map[string]*Stream
}

// Properties are the properties of a stream that determine which messages may disappear.
type Properties struct {
	MaxAge     time.Duration // after which messages expire, in whole seconds; 0: never
	OnePerName bool          // only the last message of each subject is retained
	Contiguous bool          // messages disappear only from the front
}

// A Stream is what a stream must contain at least.
type Stream struct {
	Properties
	Last     uint64            // highest acknowledged sequence number
	Floor    uint64            // messages up to this one may have been purged
	Subjects map[string]Ack    // last acknowledged message of each subject
	Purged   map[string]uint64 // subjects without messages up to the sequence number
	Marks    []Mark            // in ascending order; only for streams with a maximum age
	Holes    []Range           // ranges whose messages may be missing, such as after a repair
	Config   string            // as the server stores it
}

// A Range is a range of sequence numbers, including both ends.
type Range struct{ First, Last uint64 }

// Hole returns the hole that contains a sequence number.
func (t *Stream) Hole(sequence uint64) (Range, bool) {
	for _, r := range t.Holes {
		if r.First <= sequence && sequence <= r.Last {
			return r, true
		}
	}
	return Range{}, false
}

// An Ack is an acknowledged message.
type Ack struct {
	Sequence uint64
	Time     int64 // Unix time in seconds
	Deletion bool  // the message deletes the entry of its subject
}

// A Mark is the time at which a sequence number was the last one.
type Mark struct {
	Sequence uint64
	Time     int64 // Unix time in seconds
}

// NewState returns the state of an installation without streams. If id is empty, the installation
// gets a new ID.
func NewState(id string) *State {
	if id == "" {
		id = NewInstallation()
	}
	return &State{Installation: id, Streams: map[string]*Stream{}}
}

// NewInstallation returns a new ID of an installation: 128 random bits in hexadecimal.
func NewInstallation() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Stream returns the stream with the given name, which it creates if necessary.
func (s *State) Stream(name string) *Stream {
	t := s.Streams[name]
	if t == nil {
		t = NewStream(Properties{})
		s.Streams[name] = t
	}
	return t
}

// NewStream returns a stream that may be empty.
func NewStream(p Properties) *Stream {
	return &Stream{Properties: p, Subjects: map[string]Ack{}, Purged: map[string]uint64{}}
}

// Add records a message that was stored at the given time.
func (t *Stream) Add(subject string, m Message, sequence uint64, at time.Time) {
	t.add(subject, Ack{Sequence: sequence, Time: t.expiryBase(m, at), Deletion: m.Deletion})
}

// expiryBase returns when a message would have been stored if it expires by the maximum age.
func (t *Stream) expiryBase(m Message, at time.Time) int64 {
	if m.Lifetime > 0 && t.MaxAge > 0 {
		at = at.Add(m.Lifetime - t.MaxAge)
	}
	return at.Unix()
}

func (t *Stream) add(subject string, a Ack) {
	t.Last = max(t.Last, a.Sequence)
	if a.Sequence >= t.Subjects[subject].Sequence {
		t.Subjects[subject] = a
	}
	if n := len(t.Marks); t.MaxAge > 0 && (n == 0 || a.Time >= t.Marks[n-1].Time+markInterval && a.Sequence > t.Marks[n-1].Sequence) {
		t.Marks = append(t.Marks, Mark{a.Sequence, a.Time})
	}
}

// MayBeExpired returns the highest sequence number whose message may have expired, or 0.
func (t *Stream) MayBeExpired(now time.Time) uint64 {
	if t.MaxAge == 0 {
		return 0
	}
	for _, m := range t.Marks {
		if m.Time > now.Add(-t.MaxAge).Unix() {
			return m.Sequence - 1
		}
	}
	return t.Last
}

// apply adds a record to the state.
func (s *State) apply(r record) {
	if r.kind == kindInstallation {
		s.Installation = r.subject
		return
	}
	t := s.Stream(r.stream)
	switch r.kind {
	case kindStream:
		t.Properties = decodeProperties(r)
	case kindMessage:
		t.add(r.subject, Ack{Sequence: r.sequence, Time: r.time})
	case kindDeletion:
		t.add(r.subject, Ack{Sequence: r.sequence, Time: r.time, Deletion: true})
	case kindConfig:
		t.Config = r.subject
	case kindHole:
		t.Holes = append(t.Holes, Range{r.sequence, uint64(r.time)})
	case kindLast:
		t.Last = max(t.Last, r.sequence)
	case kindMark:
		t.Marks = append(t.Marks, Mark{r.sequence, r.time})
	case kindPurging:
		t.purging(r)
	case kindPurged:
		t.Purged[r.subject] = max(t.Purged[r.subject], r.sequence)
	}
}

func (t *Stream) purging(r record) {
	if r.subject == "" {
		t.Floor = max(t.Floor, r.sequence)
	}
	for subject, a := range t.Subjects {
		if a.Sequence <= r.sequence && (r.subject == "" || r.subject == subject) {
			delete(t.Subjects, subject)
		}
	}
}

// expire forgets messages that have expired long ago.
func (s *State) expire(now time.Time) {
	for _, t := range s.Streams {
		if t.MaxAge == 0 {
			continue
		}
		oldest := now.Add(-t.MaxAge).Unix() - expirySlack
		for subject, a := range t.Subjects {
			if a.Time < oldest {
				delete(t.Subjects, subject)
			}
		}
		// The last of the old marks says what has expired.
		old, _ := slices.BinarySearchFunc(t.Marks, oldest, func(m Mark, oldest int64) int { return int(m.Time - oldest) })
		t.Marks = slices.Delete(t.Marks, 0, max(old-1, 0))
	}
}

// encode returns the records that lead to the state.
func (s *State) encode() (buf []byte) {
	buf = record{kind: kindInstallation, subject: s.Installation}.appendTo(buf)
	for _, name := range sortedKeys(s.Streams) {
		t := s.Streams[name]
		buf = propertiesRecord(name, t.Properties).appendTo(buf)
		if t.Config != "" {
			buf = record{kind: kindConfig, stream: name, subject: t.Config}.appendTo(buf)
		}
		buf = record{kind: kindPurging, stream: name, sequence: t.Floor}.appendTo(buf)
		buf = record{kind: kindLast, stream: name, sequence: t.Last}.appendTo(buf)
		for _, m := range t.Marks {
			buf = record{kind: kindMark, stream: name, sequence: m.Sequence, time: m.Time}.appendTo(buf)
		}
		for _, h := range t.Holes {
			if h.Last > t.Floor {
				buf = record{kind: kindHole, stream: name, sequence: h.First, time: int64(h.Last)}.appendTo(buf)
			}
		}
		for _, subject := range sortedKeys(t.Purged) {
			buf = record{kind: kindPurged, stream: name, subject: subject, sequence: t.Purged[subject]}.appendTo(buf)
		}
		for _, subject := range sortedKeys(t.Subjects) {
			a := t.Subjects[subject]
			kind := byte(kindMessage)
			if a.Deletion {
				kind = kindDeletion
			}
			buf = record{kind: kind, stream: name, subject: subject, sequence: a.Sequence, time: a.Time}.appendTo(buf)
		}
	}
	return buf
}

const (
	flagOnePerName = "1"
	flagContiguous = "c"
)

func propertiesRecord(stream string, p Properties) record {
	return record{kind: kindStream, stream: stream, subject: p.flags(), time: int64(p.MaxAge / time.Second)}
}

func (p Properties) flags() (flags string) {
	if p.OnePerName {
		flags += flagOnePerName
	}
	if p.Contiguous {
		flags += flagContiguous
	}
	return flags
}

func decodeProperties(r record) Properties {
	return Properties{
		MaxAge:     time.Duration(r.time) * time.Second,
		OnePerName: strings.Contains(r.subject, flagOnePerName),
		Contiguous: strings.Contains(r.subject, flagContiguous),
	}
}
