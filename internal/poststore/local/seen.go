package local

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// A seenDay is what Changed answered last: of which posts, and when they had changed.
type seenDay struct {
	print segment.Fingerprint
	at    time.Time
}

// recSeenDay returns where the answer for a day is kept.
func recSeenDay(m poststore.SetID, starts []time.Time, day int) []byte {
	return recID(recSeen, uint64(m), segment.Seconds(starts[day]), segment.Seconds(starts[day+1]))
}

// readSeen returns the last answers for days, zero for those that there are none for.
func (s *Store) readSeen(m poststore.SetID, starts []time.Time) (seen []seenDay, err error) {
	seen = make([]seenDay, len(starts)-1)
	it, err := s.db.NewIter(&pebble.IterOptions{
		LowerBound: recID(recSeen, uint64(m), segment.Seconds(starts[0])),
		UpperBound: recID(recSeen, uint64(m), segment.Seconds(starts[len(seen)])),
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	day := 0
	for ok := it.First(); ok; ok = it.Next() {
		from, to := readID(it.Key(), 1), readID(it.Key(), 2)
		for day < len(seen) && (segment.Seconds(starts[day]) < from || segment.Seconds(starts[day]) == from && segment.Seconds(starts[day+1]) < to) {
			day++
		}
		if day == len(seen) || segment.Seconds(starts[day]) != from || segment.Seconds(starts[day+1]) != to {
			continue // a day of another zone
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		seen[day] = readSeenDay(value)
	}
	return seen, it.Error()
}

func appendSeen(b []byte, d seenDay) []byte {
	b = binary.BigEndian.AppendUint64(b, d.print[0])
	b = binary.BigEndian.AppendUint64(b, d.print[1])
	return appendMoment(b, d.at)
}

func readSeenDay(data []byte) (d seenDay) {
	if len(data) != 24 {
		return d
	}
	return seenDay{segment.Fingerprint{binary.BigEndian.Uint64(data), binary.BigEndian.Uint64(data[8:])}, readMoment(data[16:])}
}
