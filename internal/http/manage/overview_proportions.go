package manage

import (
	"context"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/quantify"
)

type proportionsParams struct {
	monitorPath
	dayParams
}

type proportionsResponse struct {
	Monitor  earshot.MonitorID `json:"monitor"`
	Timezone string            `json:"timezone"`
	Method   quantify.Method   `json:"method"`
	Days     []proportionsDay  `json:"days"`
	Total    proportions       `json:"total"`
}

type proportionsDay struct {
	Date earshot.Date `json:"date"`
	proportions
}

type proportions struct {
	Posts      int64        `json:"posts"`
	Categories []proportion `json:"categories"`
	Emotions   []proportion `json:"emotions"`
}

type proportion struct {
	CategoryID earshot.CategoryID `json:"categoryId"`
	Category   string             `json:"category"`
	Hidden     bool               `json:"hidden"`
	Proportion float64            `json:"proportion"`
	Low        float64            `json:"low"`
	High       float64            `json:"high"`
	Volume     int64              `json:"volume"`
}

// showProportions serves /manage/v1/monitors/{id}/proportions, for monitors and filters.
func (a *API) showProportions(ctx context.Context, c *earshot.Caller, p proportionsParams) (proportionsResponse, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return proportionsResponse{}, err
	}
	days, err := p.period().Days(m, a.Now())
	if err != nil {
		return proportionsResponse{}, err
	}
	found, err := a.Insight.Proportions(ctx, m, days)
	if err != nil {
		return proportionsResponse{}, err
	}
	method := quantify.Default
	if found.Counted {
		method = quantify.ClassifyAndCount
	}
	return proportionsResponse{
		Monitor: m.ID, Timezone: m.Timezone, Method: method,
		Days: jsonvalue.Map(found.Days, func(d insight.DayProportions) proportionsDay {
			return proportionsDay{d.Day, newProportions(d)}
		}),
		Total: newProportions(found.Total),
	}, nil
}

func newProportions(d insight.DayProportions) proportions {
	return proportions{Posts: d.Posts, Categories: jsonvalue.Map(d.Categories, newProportion), Emotions: jsonvalue.Map(d.Emotions, newProportion)}
}

func newProportion(p insight.Proportion) proportion {
	return proportion{
		CategoryID: p.Category.ID, Category: p.Category.Name, Hidden: p.Category.Hidden,
		Proportion: jsonvalue.Round4(p.Share), Low: jsonvalue.Round4(p.Low), High: jsonvalue.Round4(p.High), Volume: p.Posts,
	}
}
