package local

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// A changedDay is the stored result of Changed for a day: when the day's posts last changed and
// their fingerprint at that time.
type changedDay struct {
	fingerprint segment.Fingerprint
	at          time.Time
}

func changedDayKey(set poststore.SetID, starts []time.Time, day int) []byte {
	return recID(recChangedDay, uint64(set), segment.Seconds(starts[day]), segment.Seconds(starts[day+1]))
}

// readChangedDays returns the stored results for days, or zero values.
func (s *Store) readChangedDays(set poststore.SetID, starts []time.Time) (days []changedDay, err error) {
	days = make([]changedDay, len(starts)-1)
	it, err := s.db.NewIter(&pebble.IterOptions{
		LowerBound: recID(recChangedDay, uint64(set), segment.Seconds(starts[0])),
		UpperBound: recID(recChangedDay, uint64(set), segment.Seconds(starts[len(days)])),
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	day := 0
	for ok := it.First(); ok; ok = it.Next() {
		from, to := readID(it.Key(), 1), readID(it.Key(), 2)
		for day < len(days) && (segment.Seconds(starts[day]) < from || segment.Seconds(starts[day]) == from && segment.Seconds(starts[day+1]) < to) {
			day++
		}
		if day == len(days) || segment.Seconds(starts[day]) != from || segment.Seconds(starts[day+1]) != to {
			continue // a day in another time zone
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		days[day] = decodeChangedDay(value)
	}
	return days, it.Error()
}

func appendChangedDay(b []byte, d changedDay) []byte {
	b = binary.BigEndian.AppendUint64(b, d.fingerprint[0])
	b = binary.BigEndian.AppendUint64(b, d.fingerprint[1])
	return appendTime(b, d.at)
}

func decodeChangedDay(data []byte) (d changedDay) {
	if len(data) != 24 {
		return d
	}
	return changedDay{segment.Fingerprint{binary.BigEndian.Uint64(data), binary.BigEndian.Uint64(data[8:])}, readTime(data[16:])}
}
