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

// Hours counts the posts of a day by hour of the clock. An hour that occurs twice, at a daylight
// saving change, includes the posts of both.
type Hours struct {
	Day   earshot.Date
	Posts int64
	Hours [24]int64
}

// Weekdays counts posts by day of the week, Sunday first.
type Weekdays struct {
	Posts int64
	Days  [7]int64
}

// Hours counts posts by hour of the day on each day. If authorTime is true, it uses the author's
// time zone where known. Otherwise it uses the monitor's. All days must have results.
func (s *Service) Hours(ctx context.Context, m *earshot.Monitor, days earshot.Days, authorTime bool) ([]Hours, error) {
	c, clocks, err := s.countClocks(ctx, m, days, authorTime)
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

// Weekdays counts posts by day of the week, with the same time zones and requirement as
// [Service.Hours].
func (s *Service) Weekdays(ctx context.Context, m *earshot.Monitor, days earshot.Days, authorTime bool) (w Weekdays, err error) {
	c, clocks, err := s.countClocks(ctx, m, days, authorTime)
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

// A clockCount is the number of posts at an hour of a weekday.
type clockCount struct {
	weekday time.Weekday
	hour    int
	posts   int64
}

// countClocks counts the posts of each day by weekday and hour.
func (s *Service) countClocks(ctx context.Context, m *earshot.Monitor, days earshot.Days, authorTime bool) (*dayCounts, [][]clockCount, error) {
	if err := s.requireResults(m, days); err != nil {
		return nil, nil, err
	}
	dim, read := poststore.ByHour, parseHour
	if authorTime {
		dim, read = poststore.ByClock, parseClock
	}
	c, err := s.countDays(ctx, m, days, nil, allPosts, countBy(dim))
	if err != nil {
		return nil, nil, err
	}
	zone := m.Location()
	clocks := make([][]clockCount, len(c.dates))
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

// parseHour parses a key of [poststore.ByHour].
func parseHour(key string, zone *time.Location) (clockCount, error) {
	t, err := time.Parse(time.RFC3339, key)
	t = t.In(zone)
	return clockCount{weekday: t.Weekday(), hour: t.Hour()}, err
}

// parseClock parses a key of [poststore.ByClock], for example "Sunday 13".
func parseClock(key string, _ *time.Location) (clockCount, error) {
	name, number, _ := strings.Cut(key, " ")
	hour, err := strconv.Atoi(number)
	for d := time.Sunday; d <= time.Saturday && err == nil && hour < 24; d++ {
		if d.String() == name {
			return clockCount{weekday: d, hour: hour}, nil
		}
	}
	return clockCount{}, fmt.Errorf("parse %q as weekday and hour", key)
}
