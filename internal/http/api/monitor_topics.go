package api

import (
	"cmp"
	"context"
	"fmt"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

// Default and maximum number of topics.
const (
	defaultTopics = 10
	maxTopics     = 20
)

type topicsParams struct {
	monitorRange
	GroupBy earshot.Grouping `query:"groupBy" doc:"length of the steps; one for the whole range when left out. Of WEEKLY and MONTHLY only full ones count" values:"HOURLY,DAILY,WEEKLY,MONTHLY"`
	Top     topicCount       `query:"top" doc:"at most so many topics, up to 20; 10 when left out"`
}

// topicWavesParams are topicsParams with another default for groupBy.
type topicWavesParams struct {
	monitorRange
	GroupBy earshot.Grouping `query:"groupBy" doc:"length of the steps; DAILY when left out. Of WEEKLY and MONTHLY only full ones count" values:"HOURLY,DAILY,WEEKLY,MONTHLY"`
	Top     topicCount       `query:"top" doc:"at most so many topics, up to 20; 10 when left out"`
}

type topicCount int32

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *topicCount) UnmarshalText(text []byte) error {
	number, err := parseInt32(text)
	if err != nil || number < 1 || number > maxTopics {
		return fmt.Errorf("a whole number from 1 to %d", maxTopics)
	}
	*n = topicCount(number)
	return nil
}

type topicsResponse struct {
	StartDate         earshot.Timestamp `json:"startDate" doc:"beginning of the first step"`
	EndDate           earshot.Timestamp `json:"endDate" doc:"end of the last step, exclusive"`
	Timezone          string            `json:"timezone" doc:"the monitor's time zone"`
	GroupBy           earshot.Grouping  `json:"groupBy,omitempty" doc:"length of the steps; left out where one is the whole range" values:"HOURLY,DAILY,WEEKLY,MONTHLY"`
	TotalTopicsVolume int64             `json:"totalTopicsVolume" doc:"posts that are about at least one of the topics"`
	Topics            []topic           `json:"topics" doc:"the topics, largest first"`
	Status            rest.Success      `json:"status"`
}

type topic struct {
	Name        string       `json:"name" doc:"its most typical words"`
	TotalVolume int64        `json:"totalVolume" doc:"posts that are about it"`
	Volume      []volumeStep `json:"volume" doc:"the steps, in order of time"`
}

// topics serves /api/monitor/topics.
func (a *API) topics(ctx context.Context, m *earshot.Monitor, p topicsParams) (topicsResponse, error) {
	t, err := a.Insight.Topics(ctx, m, p.days(), p.GroupBy, int(cmp.Or(p.Top, defaultTopics)))
	if err != nil {
		return topicsResponse{}, err
	}
	return topicsResponse{
		StartDate:         t.Start,
		EndDate:           t.End,
		Timezone:          m.Timezone,
		GroupBy:           p.GroupBy,
		TotalTopicsVolume: t.Posts,
		Topics: rest.Map(t.Topics, func(t insight.Topic) topic {
			return topic{Name: t.Name(), TotalVolume: t.Posts, Volume: rest.Map(t.Steps, newVolumeStep)}
		}),
	}, nil
}

// topicWaves serves /api/monitor/topicwaves. Its topics are those of /api/monitor/topics, over
// time.
func (a *API) topicWaves(ctx context.Context, m *earshot.Monitor, p topicWavesParams) (topicsResponse, error) {
	p.GroupBy = cmp.Or(p.GroupBy, earshot.Daily)
	return a.topics(ctx, m, topicsParams(p))
}
