package postfile

import (
	"sort"
	"time"

	"earshot/internal/segment"
)

// moments are the times of a file's rows, which ascend.
type moments struct {
	seconds, nanos *segment.Uints
	rows           uint32
}

func (f *File) moments() (moments, error) {
	seconds, err := f.Uints(colTime)
	if err != nil {
		return moments{}, err
	}
	nanos, err := f.Uints(colNanos)
	return moments{seconds, nanos, uint32(f.Rows())}, err
}

func (m moments) at(row uint32) time.Time {
	return moment(m.seconds.At(row), uint32(m.nanos.At(row)))
}

// before returns how many rows are earlier.
func (m moments) before(seconds, nanos uint64) uint32 {
	return uint32(sort.Search(int(m.rows), func(i int) bool {
		s := m.seconds.At(uint32(i))
		return s > seconds || s == seconds && m.nanos.At(uint32(i)) >= nanos
	}))
}

// RowsBefore returns how many rows are earlier than t, which is the first row that
// is not.
func (f *File) RowsBefore(t time.Time) (uint32, error) {
	m, err := f.moments()
	if err != nil {
		return 0, err
	}
	return m.before(Seconds(t), uint64(t.Nanosecond())), nil
}

// Span returns the times of the first and the last row, the zero time for a file
// without rows.
func (f *File) Span() (first, last time.Time, err error) {
	m, err := f.moments()
	if err != nil || m.rows == 0 {
		return time.Time{}, time.Time{}, err
	}
	return m.at(0), m.at(m.rows - 1), nil
}

// Moments returns the times of rows, in their order.
func (f *File) Moments(rows []uint32) ([]time.Time, error) {
	m, err := f.moments()
	if err != nil {
		return nil, err
	}
	times := make([]time.Time, len(rows))
	for i, row := range rows {
		times[i] = m.at(row)
	}
	return times, nil
}
