package manage

import (
	"context"
	"math"

	"earshot"
	"earshot/internal/insight"
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
}

type proportionsDay struct {
	Date       earshot.Date `json:"date"`
	Posts      int64        `json:"posts"`
	Categories []proportion `json:"categories"`
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
	if err := earshot.RequireOpinion(m); err != nil {
		return proportionsResponse{}, err
	}
	days, err := p.days(m, a.Now())
	if err != nil {
		return proportionsResponse{}, err
	}
	list, err := a.Insight.Proportions(ctx, m, days)
	if err != nil {
		return proportionsResponse{}, err
	}
	response := proportionsResponse{Monitor: m.ID, Timezone: m.Timezone, Method: quantify.Default, Days: make([]proportionsDay, len(list))}
	for i, day := range list {
		response.Days[i] = newProportionsDay(day)
	}
	return response, nil
}

func newProportionsDay(d insight.DayProportions) proportionsDay {
	shown := proportionsDay{Date: d.Day, Posts: d.Posts, Categories: make([]proportion, len(d.Categories))}
	for i, p := range d.Categories {
		shown.Categories[i] = proportion{
			CategoryID: p.Category.ID, Category: p.Category.Name, Hidden: p.Category.Hidden,
			Proportion: round4(p.Share), Low: round4(p.Low), High: round4(p.High), Volume: p.Posts,
		}
	}
	return shown
}

// round4 rounds to four decimal places.
func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }
