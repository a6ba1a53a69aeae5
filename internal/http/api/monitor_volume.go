package api

import (
	"cmp"
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

type volumeParams struct {
	monitorRange
	GroupBy earshot.Grouping `query:"groupBy" doc:"length of the intervals; default DAILY. WEEKLY and MONTHLY return only full weeks and months" values:"HOURLY,DAILY,WEEKLY,MONTHLY"`
}

type volumeResponse struct {
	StartDate         earshot.Timestamp    `json:"startDate" doc:"start of the first interval"`
	EndDate           earshot.Timestamp    `json:"endDate" doc:"end of the last interval, exclusive"`
	Timezone          string               `json:"timezone" doc:"the monitor's time zone"`
	GroupBy           earshot.Grouping     `json:"groupBy" doc:"length of the intervals" values:"HOURLY,DAILY,WEEKLY,MONTHLY"`
	NumberOfDocuments int64                `json:"numberOfDocuments" doc:"total number of posts"`
	Volume            rest.Seq[volumeStep] `json:"volume" doc:"intervals in chronological order"`
	Status            rest.Success         `json:"status"`
}

type volumeStep struct {
	StartDate         earshot.Timestamp `json:"startDate" doc:"start of the interval"`
	EndDate           earshot.Timestamp `json:"endDate" doc:"end of the interval, exclusive"`
	NumberOfDocuments int64             `json:"numberOfDocuments" doc:"number of posts in the interval"`
}

// ResponseMemory implements [rest.Weighted].
func (p volumeParams) ResponseMemory() int64 {
	if p.GroupBy == earshot.Hourly {
		return rest.RowMemory(24 * p.days().Len())
	}
	return rest.RowMemory(p.days().Len())
}

// volume serves /api/monitor/volume.
func (a *API) volume(ctx context.Context, m *earshot.Monitor, p volumeParams) (volumeResponse, error) {
	// The specification does not state a default. See docs/decisions/0009-volume.md.
	groupBy := cmp.Or(p.GroupBy, earshot.Daily)
	v, err := a.Insight.Volume(ctx, m, p.days(), groupBy)
	if err != nil {
		return volumeResponse{}, err
	}
	start, end := earshot.Midnight(p.Start.Date), earshot.Midnight(p.End.Date)
	if groupBy == earshot.Weekly || groupBy == earshot.Monthly { // full weeks and months only
		start, end = v.First.StartDate, v.Last.EndDate
	}
	return volumeResponse{
		StartDate:         start,
		EndDate:           end,
		Timezone:          m.Timezone,
		GroupBy:           groupBy,
		NumberOfDocuments: v.Posts,
		Volume:            rest.MapSeq(v.Steps, newVolumeStep),
	}, nil
}

func newVolumeStep(s insight.VolumeStep) volumeStep {
	return volumeStep{StartDate: s.StartDate, EndDate: s.EndDate, NumberOfDocuments: s.Posts}
}
