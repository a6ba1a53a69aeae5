package feed

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Limits on the time between two polls of a feed. The setting min_interval replaces the shortest.
const (
	firstInterval = 15 * time.Minute // for feeds without items
	maxInterval   = 24 * time.Hour
)

// pollsPerItem is how often a feed is polled in the average time between two of its items. More
// polls find items sooner: with 4, on average after an eighth of that time.
const pollsPerItem = 4

// hints describe how often a feed says it changes.
type hints struct {
	Every int64  `json:"every,omitempty"` // seconds between changes; 0: not stated
	Hours uint32 `json:"hours,omitempty"` // bit h: not between h:00 and h:59 UTC
	Days  uint8  `json:"days,omitempty"`  // bit d: not on weekday d, UTC; 0 is Sunday
}

// interval returns the time until the next poll, by the rate of the newest items. The feed is not
// polled more often than its server and its document allow.
func (r *record) interval(now time.Time, header http.Header, shortest time.Duration) time.Duration {
	const sample = 10
	every := firstInterval
	if newest := r.Items.newest(sample); len(newest) > 0 {
		oldest := time.Unix(int64(newest[len(newest)-1]), 0)
		every = now.Sub(oldest) / time.Duration(len(newest)) / pollsPerItem
	}
	every = max(every, shortest, time.Duration(r.Hints.Every)*time.Second, maxAge(header))
	return min(every, maxInterval)
}

// newest returns the times of the n newest items, newest first.
func (l items) newest(n int) []uint32 {
	var newest []uint32
	for _, i := range l {
		at := len(newest)
		for at > 0 && newest[at-1] < i.time {
			at--
		}
		if at == n {
			continue
		}
		newest = append(newest[:at], append([]uint32{i.time}, newest[at:]...)...)
		newest = newest[:min(len(newest), n)]
	}
	return newest
}

// maxAge returns how long a response stays fresh, if it says so.
func maxAge(header http.Header) time.Duration {
	var age time.Duration
	for directive := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		if name == "max-age" {
			age = seconds(strings.Trim(value, `"`))
		}
	}
	return max(age-seconds(header.Get("Age")), 0)
}

// seconds parses a number of seconds, up to maxInterval.
func seconds(s string) time.Duration {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, int64(maxInterval/time.Second))) * time.Second
}

// after returns the time of the poll after an interval: up to a tenth later, so that feeds that were
// added together drift apart, and not in hours and on days that the feed excludes.
func (h hints) after(now time.Time, interval time.Duration) time.Time {
	next := now.Add(interval + rand.N(interval/10+1))
	for range 8 * 24 { // excluding everything excludes nothing
		u := next.UTC()
		if h.Hours&(1<<u.Hour()) == 0 && h.Days&(1<<u.Weekday()) == 0 {
			return next
		}
		next = u.Truncate(time.Hour).Add(time.Hour + rand.N(5*time.Minute))
	}
	return now.Add(interval)
}

// backoff returns how long to wait after a number of failures: a minute, doubled with each failure,
// up to a day, plus up to a quarter.
func backoff(failures int) time.Duration {
	d := min(time.Minute<<min(max(failures-1, 0), 20), maxInterval)
	return min(d+rand.N(d/4), maxInterval)
}

// hintsOf returns what an RSS document says: ttl in minutes, hours and days to skip, and the update
// period of the syndication module.
func hintsOf(ttl string, hours, days []string, period, frequency string) (h hints) {
	every := 60 * seconds(ttl)
	if p := periods[strings.ToLower(strings.TrimSpace(period))]; p > 0 {
		every = max(every, p/max(seconds(frequency)/time.Second, 1))
	}
	h.Every = int64(min(every, maxInterval) / time.Second)
	for _, s := range hours {
		if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && n >= 0 && n <= 24 {
			h.Hours |= 1 << (n % 24) // some feeds count from 1 to 24
		}
	}
	for _, s := range days {
		for d := time.Sunday; d <= time.Saturday; d++ {
			if strings.EqualFold(strings.TrimSpace(s), d.String()) {
				h.Days |= 1 << d
			}
		}
	}
	return h
}

// periods are the values of sy:updatePeriod. Feeds that change weekly or less often are still polled
// once a day.
var periods = map[string]time.Duration{
	"hourly": time.Hour, "daily": maxInterval, "weekly": 7 * maxInterval, "monthly": 30 * maxInterval, "yearly": 365 * maxInterval,
}
