package poststore

import (
	"time"

	"earshot"
)

// CounterStep is what the times of a CounterChange are rounded down to. Days begin at a
// multiple of it in every time zone.
const CounterStep = 15 * time.Minute

// NewCounterChange returns how figures changed when a post came again.
func NewCounterChange(old, new *earshot.Post, came time.Time) CounterChange {
	return CounterChange{
		Time:     came.UTC().Truncate(CounterStep),
		Posted:   new.Time.UTC().Truncate(CounterStep),
		Likes:    growth(old.Likes, new.Likes),
		Shares:   growth(old.Shares, new.Shares),
		Comments: growth(old.Comments, new.Comments),
	}
}

// IsZero reports whether all figures stayed as they were.
func (c CounterChange) IsZero() bool { return c.Likes == 0 && c.Shares == 0 && c.Comments == 0 }

// Plus adds a change with the same times.
func (c CounterChange) Plus(other CounterChange) CounterChange {
	c.Likes += other.Likes
	c.Shares += other.Shares
	c.Comments += other.Comments
	return c
}

// Within reports whether one of the times is from a moment to before another.
func (c CounterChange) Within(from, to time.Time) bool {
	return within(c.Time, from, to) || within(c.Posted, from, to)
}

func within(t, from, to time.Time) bool { return !t.Before(from) && t.Before(to) }

// growth counts a figure that was not stated as 0; one that is not stated any more stays.
func growth(old, new earshot.Count) int64 {
	if new.IsZero() {
		return 0
	}
	return new.Int() - old.Int()
}

// InheritCounters has new state the likes, shares and comments that only old states, and
// reports whether there are any.
func InheritCounters(old, new *earshot.Post) (carried bool) {
	for _, f := range []struct{ old, new *earshot.Count }{
		{&old.Likes, &new.Likes}, {&old.Shares, &new.Shares}, {&old.Comments, &new.Comments},
	} {
		if f.new.IsZero() && !f.old.IsZero() {
			*f.new, carried = *f.old, true
		}
	}
	return carried
}
