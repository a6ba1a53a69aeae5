package insight

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// Hours are the posts of a day by the hour that a clock shows. An hour that comes twice has
// the posts of both.
type Hours struct {
	Day   earshot.Date
	Posts int64
	Hours [24]int64
}

// Weekdays are posts by the day of the week, Sunday first.
type Weekdays struct {
	Posts int64
	Days  [7]int64
}

// Hours counts posts by the hour of the day: of the clock where their authors are as far as
// that is known, or of the monitor's. Every day must have results.
func (s *Service) Hours(ctx context.Context, m *earshot.Monitor, days earshot.Days, atAuthors bool) ([]Hours, error) {
	c, clocks, err := s.clocks(ctx, m, days, atAuthors)
	if err != nil {
		return nil, err
	}
	list := make([]Hours, len(c.dates))
	for day, date := range c.dates {
		list[day] = Hours{Day: date, Posts: c.posts(0, day)}
		for _, at := range clocks[day] {
			list[day].Hours[at.hour] += at.posts
		}
	}
	return list, nil
}

// Weekdays counts posts by the day of the week, likewise.
func (s *Service) Weekdays(ctx context.Context, m *earshot.Monitor, days earshot.Days, atAuthors bool) (w Weekdays, err error) {
	c, clocks, err := s.clocks(ctx, m, days, atAuthors)
	if err != nil {
		return w, err
	}
	w.Posts = c.total(0)
	for day := range c.dates {
		for _, at := range clocks[day] {
			w.Days[at.weekday] += at.posts
		}
	}
	return w, nil
}

// A clock is what clocks show when posts are written.
type clock struct {
	weekday time.Weekday
	hour    int
	posts   int64
}

// clocks returns what clocks show on each day.
func (s *Service) clocks(ctx context.Context, m *earshot.Monitor, days earshot.Days, atAuthors bool) (*daily, [][]clock, error) {
	if err := s.requireResults(m, days); err != nil {
		return nil, nil, err
	}
	dim, read := poststore.ByHour, readHour
	if atAuthors {
		dim, read = poststore.ByClock, readClock
	}
	c, err := s.daily(ctx, m, days, nil, everything, by(dim))
	if err != nil {
		return nil, nil, err
	}
	zone := m.Location()
	clocks := make([][]clock, len(c.dates))
	for day := range c.dates {
		for _, row := range c.rows[1][day] {
			at, err := read(row.Key[0], zone)
			if err != nil {
				return nil, nil, err
			}
			at.posts = row.Posts
			clocks[day] = append(clocks[day], at)
		}
	}
	return c, clocks, nil
}

// readHour reads a key of ByHour.
func readHour(key string, zone *time.Location) (clock, error) {
	t, err := time.Parse(time.RFC3339, key)
	t = t.In(zone)
	return clock{weekday: t.Weekday(), hour: t.Hour()}, err
}

// readClock reads a key of ByClock.
func readClock(key string, _ *time.Location) (clock, error) {
	name, number, _ := strings.Cut(key, " ")
	hour, err := strconv.Atoi(number)
	for d := time.Sunday; d <= time.Saturday && err == nil && hour < 24; d++ {
		if d.String() == name {
			return clock{weekday: d, hour: hour}, nil
		}
	}
	return clock{}, fmt.Errorf("read %q as the time on a clock", key)
}
