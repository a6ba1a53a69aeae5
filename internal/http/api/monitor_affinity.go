package api

import (
	"context"
	"errors"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

// A documentSource selects the posts whose authors' interests the response lists.
type documentSource string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *documentSource) UnmarshalText(text []byte) error {
	*d = documentSource(strings.ToUpper(string(text)))
	if *d != "TWITTER" && *d != "TUMBLR" {
		return errors.New("one of TWITTER, TUMBLR")
	}
	return nil
}

// sources returns the selected sources. The default is all microblogs.
func (d documentSource) sources() []earshot.Source {
	if d == "TUMBLR" {
		return []earshot.Source{earshot.Tumblr}
	}
	return earshot.Microblogs
}

type affinitiesParams struct {
	monitorRange
	Daily          bool           `query:"daily" doc:"true: list the interests of each day"`
	DocumentSource documentSource `query:"documentsource" doc:"source of the posts; microblogs if omitted" values:"TWITTER,TUMBLR"`
}

type affinitiesResponse struct {
	StartDate    earshot.Timestamp `json:"startDate" doc:"start of the range"`
	EndDate      earshot.Timestamp `json:"endDate" doc:"end of the range, exclusive"`
	AffinityInfo *[]affinity       `json:"affinityInfo,omitempty" doc:"interests, most relevant first; omitted with daily"`
	DailyResults *[]dayAffinities  `json:"dailyResults,omitempty" doc:"with daily: one entry per day with results"`
	Status       *rest.Success     `json:"status,omitempty" doc:"success; only with the setting compat = clients"`
}

type dayAffinities struct {
	daySpan
	Info []affinity `json:"info" doc:"the interests of the whole range, with the day's values"`
}

type affinity struct {
	ID               earshot.InterestID `json:"id" doc:"id of the interest"`
	Name             string             `json:"name" doc:"name"`
	RelevancyScore   float64            `json:"relevancyScore" doc:"how many times more frequent it is than on microblogs in general"`
	PercentInMonitor float64            `json:"percentInMonitor" doc:"percentage of the monitor's posts with the interest"`
	PercentOnTwitter float64            `json:"percentOnTwitter" doc:"percentage of all microblog posts with the interest"`
}

// affinities serves /api/monitor/interestaffinities.
func (a *API) affinities(ctx context.Context, m *earshot.Monitor, p affinitiesParams) (affinitiesResponse, error) {
	found, err := a.Insight.Affinities(ctx, m, p.days(), p.DocumentSource.sources())
	if err != nil {
		return affinitiesResponse{}, err
	}
	response := affinitiesResponse{StartDate: earshot.Midnight(p.Start.Date), EndDate: earshot.Midnight(p.End.Date), Status: a.clientStatus()}
	if p.Daily {
		days := jsonvalue.Map(found.Days(), func(d insight.DayAffinities) dayAffinities {
			return dayAffinities{newDaySpan(d.Day), jsonvalue.Map(d.Affinities, newAffinity)}
		})
		response.DailyResults = &days
	} else {
		info := jsonvalue.Map(found.All, newAffinity)
		response.AffinityInfo = &info
	}
	return response, nil
}

func newAffinity(f insight.Affinity) affinity {
	return affinity{
		ID: f.Interest.ID, Name: f.Interest.Name,
		RelevancyScore: jsonvalue.Round(f.Relevancy), PercentInMonitor: jsonvalue.Round(f.InMonitor), PercentOnTwitter: jsonvalue.Round(f.Overall),
	}
}
