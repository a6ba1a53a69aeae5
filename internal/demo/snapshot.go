package demo

import (
	"time"

	"earshot"
)

// An accountStart contains the counters of an account before the first day.
type accountStart struct {
	followers float64
	likes     float64
	growth    float64 // of followers per day, as a fraction
}

var accountStarts = map[string]accountStart{
	TwitterHandle:   {followers: 184_000, likes: 61_000, growth: 0.0011},
	InstagramHandle: {followers: 261_000, likes: 1_240_000, growth: 0.0016},
	FacebookPageID:  {followers: 422_000, likes: 398_000, growth: 0.0004},
}

// Snapshots returns the counters of one of the brand's accounts at the end of each UTC day that
// overlaps the range. The account is named by its handle or page ID; other accounts have no
// snapshots. The counters grow, faster after the launch, and the recall and the paywall cost followers
// for some days.
func (g Generator) Snapshots(account string) []earshot.Snapshot {
	start, known := accountStarts[account]
	if !known || g.Days <= 0 {
		return nil
	}
	c := g.calendar()
	r := g.random(snapshotStream)
	followers, liked := start.followers, start.likes
	var all []earshot.Snapshot
	last := earshot.DateOf(g.End.UTC().Add(-time.Nanosecond))
	for date, day := earshot.DateOf(c.start), 0; !last.Before(date); date, day = date.AddDays(1), day+1 {
		followers *= 1 + start.growth*(c.pull(day)+0.4*r.Float64())
		liked += followers * 0.002 * (0.6 + 0.8*r.Float64())
		all = append(all, earshot.Snapshot{Date: date, Followers: newCount(followers), Likes: newCount(liked)})
	}
	return all
}

// snapshotStream is the random stream for account snapshots.
const snapshotStream = populationStream + 1

// pull returns how strongly a day attracts followers; 1 is a normal day.
func (c calendar) pull(day int) float64 {
	for _, e := range c.events() {
		if since := day - e.day; since >= 0 && since < 7 {
			return map[topic]float64{launch: 5, crisis: -4}[e.topic]
		}
	}
	if since := day - c.paywallDay(); since >= 0 && since < 5 {
		return -3
	}
	return 0.8
}
