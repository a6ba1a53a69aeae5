package segment

import (
	"sort"
	"time"

	"earshot"
	"earshot/internal/poststore/local/colfile"
)

// rowTimes are the times of a segment's rows, which are ascending.
type rowTimes struct {
	seconds, nanos *colfile.Uints
	rows           uint32
}

func (s *Segment) rowTimes() (rowTimes, error) {
	seconds, err := s.Uints(colTime)
	if err != nil {
		return rowTimes{}, err
	}
	nanos, err := s.Uints(colNanos)
	return rowTimes{seconds, nanos, uint32(s.Rows())}, err
}

func (m rowTimes) at(row uint32) time.Time {
	return timeOf(m.seconds.At(row), uint32(m.nanos.At(row)))
}

// before returns the number of rows earlier than a time.
func (m rowTimes) before(seconds, nanos uint64) uint32 {
	return uint32(sort.Search(int(m.rows), func(i int) bool {
		s := m.seconds.At(uint32(i))
		return s > seconds || s == seconds && m.nanos.At(uint32(i)) >= nanos
	}))
}

// RowsBefore returns the number of rows earlier than t, which is also the first row at or after t.
func (s *Segment) RowsBefore(t time.Time) (uint32, error) {
	m, err := s.rowTimes()
	if err != nil {
		return 0, err
	}
	return m.before(Seconds(t), uint64(t.Nanosecond())), nil
}

// rowsFrom returns the number of rows that contain p or posts after p in the order of
// [earshot.ComparePosts]. These are the first rows of the segment.
func (s *Segment) rowsFrom(p *earshot.Post) (uint32, error) {
	from, err := s.RowsBefore(p.Time)
	if err != nil {
		return 0, err
	}
	to, err := s.RowsBefore(p.Time.Add(1))
	if err != nil || from == to {
		return to, err
	}
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return 0, err
	}
	reader := blobs.Reader()
	n := sort.Search(int(to-from), func(i int) bool {
		var record []byte
		var q earshot.Post
		row := from + uint32(i)
		if err == nil {
			record, err = reader.Get(row)
		}
		if err == nil {
			q, err = s.decode(row, record)
		}
		return err == nil && earshot.ComparePosts(&q, p) < 0
	})
	return from + uint32(n), err
}

// TimeRange returns the times of the first and the last row, or zero times for a segment without
// rows.
func (s *Segment) TimeRange() (first, last time.Time, err error) {
	m, err := s.rowTimes()
	if err != nil || m.rows == 0 {
		return time.Time{}, time.Time{}, err
	}
	return m.at(0), m.at(m.rows - 1), nil
}

// rowNotBefore returns the first row at or after row whose time is not earlier than seconds. It
// searches in growing steps because that row is often close.
func rowNotBefore(times *colfile.Uints, row, rows uint32, seconds uint64) uint32 {
	step := uint32(1)
	from := row // all rows before this one are earlier
	for row < rows && times.At(row) < seconds {
		from = row + 1
		row += min(step, rows-row)
		step *= 2
	}
	to := min(row, rows) // no row from here on is earlier
	for from < to {
		middle := from + (to-from)/2
		if times.At(middle) < seconds {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from
}

// Times returns the times of rows, in the order of rows.
func (s *Segment) Times(rows []uint32) ([]time.Time, error) {
	m, err := s.rowTimes()
	if err != nil {
		return nil, err
	}
	times := make([]time.Time, len(rows))
	for i, row := range rows {
		times[i] = m.at(row)
	}
	return times, nil
}
