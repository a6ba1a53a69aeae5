package card

import (
	"context"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/quantify"
)

// A ProportionsResponse has the proportions of each day, and of all together.
type ProportionsResponse struct {
	Monitor  earshot.MonitorID `json:"monitor"`
	Timezone string            `json:"timezone"`
	Method   quantify.Method   `json:"method"`
	Labels   int               `json:"labels"` // of these posts, that calibrate the shares of sentiments
	Days     []ProportionsDay  `json:"days"`
	Total    Proportions       `json:"total"`
}

// A ProportionsDay has the proportions of a day.
type ProportionsDay struct {
	Date earshot.Date `json:"date"`
	Proportions
}

// Proportions are the shares of categories and emotions.
type Proportions struct {
	Posts      int64        `json:"posts"`
	Categories []Proportion `json:"categories"`
	Emotions   []Proportion `json:"emotions"`
}

// A Proportion is the share of a category or emotion, with its 95% confidence interval. Volume is the
// number of its posts.
type Proportion struct {
	CategoryID earshot.CategoryID `json:"categoryId"`
	Category   string             `json:"category"`
	Hidden     bool               `json:"hidden"`
	Proportion float64            `json:"proportion"`
	Low        float64            `json:"low"`
	High       float64            `json:"high"`
	Volume     int64              `json:"volume"`
}

// Proportions returns the proportions of a monitor or filter to a caller.
func (s *Service) Proportions(ctx context.Context, c *earshot.Caller, q Query) (ProportionsResponse, error) {
	m, days, err := s.Find(c, q)
	if err != nil {
		return ProportionsResponse{}, err
	}
	found, err := s.Insight.Proportions(ctx, m, days)
	if err != nil {
		return ProportionsResponse{}, err
	}
	method := quantify.Default
	if found.Counted {
		method = quantify.ClassifyAndCount
	}
	return ProportionsResponse{
		Monitor: m.ID, Timezone: m.Timezone, Method: method, Labels: found.Labels,
		Days: jsonvalue.Map(found.Days, func(d insight.DayProportions) ProportionsDay {
			return ProportionsDay{d.Day, newProportions(d)}
		}),
		Total: newProportions(found.Total),
	}, nil
}

func newProportions(d insight.DayProportions) Proportions {
	return Proportions{Posts: d.Posts, Categories: jsonvalue.Map(d.Categories, newProportion), Emotions: jsonvalue.Map(d.Emotions, newProportion)}
}

func newProportion(p insight.Proportion) Proportion {
	return Proportion{
		CategoryID: p.Category.ID, Category: p.Category.Name, Hidden: p.Category.Hidden,
		Proportion: jsonvalue.Round4(p.Share), Low: jsonvalue.Round4(p.Low), High: jsonvalue.Round4(p.High), Volume: p.Posts,
	}
}
