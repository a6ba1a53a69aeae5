package manage

import (
	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

type overviewCategory struct {
	ID     earshot.CategoryID `json:"id"`
	Name   string             `json:"name"`
	Group  string             `json:"group"`
	Hidden bool               `json:"hidden"`
	Posts  int64              `json:"posts"`
	Share  float64            `json:"share"`
}

type overviewEmotion struct {
	ID    earshot.CategoryID `json:"id"`
	Name  string             `json:"name"`
	Posts int64              `json:"posts"`
	Share float64            `json:"share"`
}

// dayIntervals are the bounds of each category on a day, in their order.
type dayIntervals struct {
	Date       earshot.Date `json:"date"`
	Categories []interval   `json:"categories"`
}

type interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func newOverviewCategory(t insight.CategoryTotal) overviewCategory {
	return overviewCategory{
		ID: t.Category.ID, Name: t.Category.Name, Group: t.Category.Group, Hidden: t.Category.Hidden,
		Posts: t.Posts, Share: rounded(t.Share),
	}
}

func newOverviewEmotion(t insight.CategoryTotal) overviewEmotion {
	return overviewEmotion{ID: t.Category.ID, Name: t.Category.Name, Posts: t.Posts, Share: rounded(t.Share)}
}

func newDayIntervals(d insight.DayProportions) dayIntervals {
	return dayIntervals{d.Day, rest.Map(d.Categories, func(p insight.Proportion) interval {
		return interval{rounded(p.Low), rounded(p.High)}
	})}
}
