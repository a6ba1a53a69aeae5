package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// touchedHours are the hours of sets in which a change adds or removes posts.
type touchedHours map[touchedHour]struct{}

type touchedHour struct {
	set  poststore.SetID
	hour int64 // since 1970, in UTC
}

// add adds the hour of a post in all posts and in its sets.
func (t touchedHours) add(sets []poststore.SetID, sec int64) {
	hour := hourOf(sec)
	t[touchedHour{0, hour}] = struct{}{}
	for _, set := range sets {
		t[touchedHour{set, hour}] = struct{}{}
	}
}

// hourOf returns the hour of a time in Unix seconds.
func hourOf(sec int64) int64 { return (sec - positiveModulo(sec, hourSeconds)) / hourSeconds }

// input returns the rows of table touched.
func (t touchedHours) input(commit uint64) proto.Input {
	var set, hour proto.ColInt64
	var commits proto.ColUInt64
	for h := range t {
		set.Append(int64(h.set))
		hour.Append(h.hour)
		commits.Append(commit)
	}
	return proto.Input{{Name: "set", Data: &set}, {Name: "hour", Data: &hour}, {Name: "commit", Data: &commits}}
}

// A state identifies the posts that a set contains in a range of time. As long as the set has the same
// generation, equal states mean equal posts.
type state struct {
	commit  uint64 // the last one that touched the range; it may be an aborted one
	aborted int    // number of aborted commits up to it
}

// states tell in which states hours of a set are.
type states struct {
	view    *view
	hours   []int64 // that were ever touched, ascending
	commits []uint64
}

// states returns the states of a set in a range of time. A category set changes when any of its posts
// does, and these may be in any set.
func (s *Store) states(ctx context.Context, v *view, set poststore.SetID, from, to time.Time) (*states, error) {
	if set.IsCategory() {
		set = 0
	}
	args := new(chhttp.Args)
	found := &states{view: v}
	var hour proto.ColInt64
	var last proto.ColUInt64
	err := s.query(ctx, "SELECT hour, CAST(max(commit) AS UInt64) AS last FROM touched WHERE set = "+args.Int(int64(set))+
		" AND hour >= "+args.Int(hourOf(from.Unix()))+" AND hour <= "+args.Int(hourOf(to.Unix()))+" GROUP BY hour ORDER BY hour", args,
		proto.Results{{Name: "hour", Data: &hour}, {Name: "last", Data: &last}}, func(int) error {
			found.hours, found.commits = append(found.hours, hour...), append(found.commits, last...)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read when hours changed: %w", err)
	}
	return found, nil
}

// each calls visit with the states of consecutive intervals. ok is false if the state is unknown,
// because an interval has been touched by a commit that the view does not see.
func (s *states) each(starts []time.Time, visit func(d int, now state, ok bool)) {
	next := 0
	for d := range len(starts) - 1 {
		if !starts[d].Before(starts[d+1]) {
			visit(d, state{}, true) // contains nothing
			continue
		}
		from, last := hourOf(starts[d].Unix()), hourOf(starts[d+1].Add(-1).Unix())
		for next > 0 && s.hours[next-1] >= from { // two intervals may share an hour
			next--
		}
		var commit uint64
		for ; next < len(s.hours) && s.hours[next] <= last; next++ {
			if s.hours[next] >= from {
				commit = max(commit, s.commits[next])
			}
		}
		visit(d, state{commit, s.view.abortedUpTo(commit)}, commit <= s.view.commit)
	}
}
