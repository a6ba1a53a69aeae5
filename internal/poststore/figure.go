package poststore

import (
	"time"

	"earshot"
)

// FigureStep is what the times of a FigureChange are rounded down to. Days begin at a
// multiple of it in every time zone.
const FigureStep = 15 * time.Minute

// FigureChangeOf returns how figures changed when a post came again.
func FigureChangeOf(old, new *earshot.Post, came time.Time) FigureChange {
	return FigureChange{
		Time:     came.UTC().Truncate(FigureStep),
		Posted:   new.Time.UTC().Truncate(FigureStep),
		Likes:    growth(old.Likes, new.Likes),
		Shares:   growth(old.Shares, new.Shares),
		Comments: growth(old.Comments, new.Comments),
	}
}

// IsZero reports whether all figures stayed as they were.
func (c FigureChange) IsZero() bool { return c.Likes == 0 && c.Shares == 0 && c.Comments == 0 }

// Plus adds a change with the same times.
func (c FigureChange) Plus(other FigureChange) FigureChange {
	c.Likes += other.Likes
	c.Shares += other.Shares
	c.Comments += other.Comments
	return c
}

// Within reports whether one of the times is from a moment to before another.
func (c FigureChange) Within(from, to time.Time) bool {
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

// CarryFigures has new state the likes, shares and comments that only old states, and
// reports whether there are any.
func CarryFigures(old, new *earshot.Post) (carried bool) {
	for _, f := range []struct{ old, new *earshot.Count }{
		{&old.Likes, &new.Likes}, {&old.Shares, &new.Shares}, {&old.Comments, &new.Comments},
	} {
		if f.new.IsZero() && !f.old.IsZero() {
			*f.new, carried = *f.old, true
		}
	}
	return carried
}
