package enginekit

import (
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// NewCounterChange returns how counters change when new, received at the given time, replaces old.
func NewCounterChange(old, new *earshot.Post, received time.Time) poststore.CounterChange {
	return poststore.CounterChange{
		Time:     received.UTC().Truncate(poststore.CounterStep),
		Posted:   new.Time.UTC().Truncate(poststore.CounterStep),
		Likes:    difference(old.Likes, new.Likes),
		Shares:   difference(old.Shares, new.Shares),
		Comments: difference(old.Comments, new.Comments),
	}
}

// difference returns the change in a counter. A counter that old does not state counts from 0; a
// counter that new does not state is unchanged.
func difference(old, new earshot.Count) int64 {
	if new.IsZero() {
		return 0
	}
	return new.Int() - old.Int()
}

// IsUnchanged reports whether no counter changed.
func IsUnchanged(c poststore.CounterChange) bool {
	return c.Likes == 0 && c.Shares == 0 && c.Comments == 0
}

// AddChanges adds two changes with the same times.
func AddChanges(a, b poststore.CounterChange) poststore.CounterChange {
	a.Likes += b.Likes
	a.Shares += b.Shares
	a.Comments += b.Comments
	return a
}

// ChangedWithin reports whether Time or Posted of a change is in [from, to).
func ChangedWithin(c poststore.CounterChange, from, to time.Time) bool {
	within := func(t time.Time) bool { return !t.Before(from) && t.Before(to) }
	return within(c.Time) || within(c.Posted)
}

// InheritCounters copies the likes, shares and comments that only old states to new, and reports
// whether there were any.
func InheritCounters(old, new *earshot.Post) (inherited bool) {
	for _, c := range []struct{ old, new *earshot.Count }{
		{&old.Likes, &new.Likes}, {&old.Shares, &new.Shares}, {&old.Comments, &new.Comments},
	} {
		if c.new.IsZero() && !c.old.IsZero() {
			*c.new, inherited = *c.old, true
		}
	}
	return inherited
}
