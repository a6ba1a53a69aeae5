package api

import (
	"context"
	"strconv"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type dayAndTimeParams struct {
	monitorRange
	AggregateByDay bool `query:"aggregatebyday" doc:"true: count by day of the week instead of by hour"`
	UseLocalTime   bool `query:"uselocaltime" doc:"true: use the local time of the author's place, if known, instead of the monitor's time zone"`
}

type dayAndTimeResponse struct {
	Volumes []timeVolume `json:"volumes" doc:"one entry per day or, with aggregatebyday, one entry for the whole range"`
	Status  rest.Success `json:"status"`
}

type timeVolume struct {
	StartDate         earshot.Timestamp `json:"startDate" doc:"start of the day or range"`
	EndDate           earshot.Timestamp `json:"endDate" doc:"end, exclusive"`
	NumberOfDocuments int64             `json:"numberOfDocuments" doc:"total number of posts"`
	Volume            clockVolume       `json:"volume" doc:"posts by hour (0 to 23), or by day (Monday to Sunday)"`
}

// A clockVolume contains post counts by hour or by day of the week. One of the fields is set.
type clockVolume struct {
	hours    *[24]int64
	weekdays *[7]int64 // Sunday first
}

// weekdayNames lists the days of the week in the order of the response.
var weekdayNames = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// AppendJSON implements [rest.Appender].
func (v clockVolume) AppendJSON(b []byte) []byte {
	var list counts
	if v.hours != nil {
		for hour, posts := range v.hours {
			list = append(list, insight.Count{Name: strconv.Itoa(hour), Posts: posts})
		}
	} else {
		for i, name := range weekdayNames {
			list = append(list, insight.Count{Name: name, Posts: v.weekdays[(i+1)%7]})
		}
	}
	return list.AppendJSON(b)
}

// JSONShape implements [rest.JSONShaper].
func (clockVolume) JSONShape() any { return map[string]int64{} }

// dayAndTime serves /api/monitor/dayandtime.
func (a *API) dayAndTime(ctx context.Context, m *earshot.Monitor, p dayAndTimeParams) (dayAndTimeResponse, error) {
	if p.AggregateByDay {
		w, err := a.Insight.Weekdays(ctx, m, p.days(), p.UseLocalTime)
		if err != nil {
			return dayAndTimeResponse{}, err
		}
		return dayAndTimeResponse{Volumes: []timeVolume{{
			StartDate: earshot.Midnight(p.Start.Date), EndDate: earshot.Midnight(p.End.Date),
			NumberOfDocuments: w.Posts, Volume: clockVolume{weekdays: &w.Days},
		}}}, nil
	}
	list, err := a.Insight.Hours(ctx, m, p.days(), p.UseLocalTime)
	if err != nil {
		return dayAndTimeResponse{}, err
	}
	return dayAndTimeResponse{Volumes: jsonvalue.Map(list, func(h insight.Hours) timeVolume {
		span := newDaySpan(h.Day)
		return timeVolume{span.StartDate, span.EndDate, h.Posts, clockVolume{hours: &h.Hours}}
	})}, nil
}
