package poststore

import (
	"time"

	"earshot"
)

// FigureChangeOf returns how figures changed when a post came again.
func FigureChangeOf(old, new *earshot.Post, now time.Time) FigureChange {
	return FigureChange{
		Time:     now,
		Posted:   new.Time,
		Likes:    growth(old.Likes, new.Likes),
		Shares:   growth(old.Shares, new.Shares),
		Comments: growth(old.Comments, new.Comments),
	}
}

// IsZero reports whether all figures stayed as they were.
func (c FigureChange) IsZero() bool { return c.Likes == 0 && c.Shares == 0 && c.Comments == 0 }

// growth counts a figure that was not stated as 0; one that is not stated any more stays.
func growth(old, new earshot.Count) int64 {
	if new.IsZero() {
		return 0
	}
	return new.Int() - old.Int()
}
