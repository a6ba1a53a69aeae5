package api

import (
	"cmp"
	"context"
	"fmt"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

// Default and maximum number of topics.
const (
	defaultTopics = 10
	maxTopics     = 20
)

type topicsParams struct {
	monitorRange
	GroupBy earshot.Grouping `query:"groupBy" doc:"length of the intervals; one interval for the whole range if omitted. WEEKLY and MONTHLY count only full weeks and months" values:"HOURLY,DAILY,WEEKLY,MONTHLY"`
	Top     topicCount       `query:"top" doc:"maximum number of topics, 1 to 20; default 10"`
}

// topicWavesParams are topicsParams with another default for groupBy.
type topicWavesParams struct {
	monitorRange
	GroupBy earshot.Grouping `query:"groupBy" doc:"length of the intervals; default DAILY. WEEKLY and MONTHLY count only full weeks and months" values:"HOURLY,DAILY,WEEKLY,MONTHLY"`
	Top     topicCount       `query:"top" doc:"maximum number of topics, 1 to 20; default 10"`
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
	StartDate         earshot.Timestamp `json:"startDate" doc:"start of the first interval"`
	EndDate           earshot.Timestamp `json:"endDate" doc:"end of the last interval, exclusive"`
	Timezone          string            `json:"timezone" doc:"the monitor's time zone"`
	GroupBy           earshot.Grouping  `json:"groupBy,omitempty" doc:"length of the intervals; omitted if there is one interval for the whole range" values:"HOURLY,DAILY,WEEKLY,MONTHLY"`
	TotalTopicsVolume int64             `json:"totalTopicsVolume" doc:"number of posts about at least one of the topics"`
	Topics            []topic           `json:"topics" doc:"topics, largest first"`
	Status            rest.Success      `json:"status"`
}

type topic struct {
	Name        string       `json:"name" doc:"the most typical words of the topic"`
	TotalVolume int64        `json:"totalVolume" doc:"number of posts about the topic"`
	Volume      []volumeStep `json:"volume" doc:"intervals in chronological order"`
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
		Topics: jsonvalue.Map(t.Topics, func(t insight.Topic) topic {
			return topic{Name: t.Name(), TotalVolume: t.Posts, Volume: jsonvalue.Map(t.Steps, newVolumeStep)}
		}),
	}, nil
}

// topicWaves serves /api/monitor/topicwaves. Its topics are those of /api/monitor/topics, over
// time.
func (a *API) topicWaves(ctx context.Context, m *earshot.Monitor, p topicWavesParams) (topicsResponse, error) {
	p.GroupBy = cmp.Or(p.GroupBy, earshot.Daily)
	return a.topics(ctx, m, topicsParams(p))
}
