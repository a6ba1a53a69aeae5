package api

import (
	"context"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type citiesParams struct {
	monitorRange
	Country countryCode `query:"country" doc:"ISO 3166 alpha-3 code; cities worldwide if omitted"`
}

type statesParams struct {
	monitorRange
	Country countryCode `query:"country,required" doc:"ISO 3166 alpha-3 code"`
}

type placesResponse struct {
	StartDate   earshot.Timestamp `json:"startDate" doc:"start of the range"`
	EndDate     earshot.Timestamp `json:"endDate" doc:"end of the range, exclusive"`
	TotalVolume int64             `json:"totalVolume" doc:"total number of posts from the listed places"`
	Data        []placeVolume     `json:"data" doc:"the places, most posts first"`
	Status      *rest.Success     `json:"status,omitempty" doc:"success; only with the setting compat = clients"`
}

type placeVolume struct {
	Info       geographyItem `json:"info" doc:"the place"`
	Volume     int64         `json:"volume" doc:"number of posts"`
	PerMillion float64       `json:"perMillion" doc:"posts per million inhabitants; 0 if the population is unknown"`
}

// cities serves /api/monitor/geography/cities.
func (a *API) cities(ctx context.Context, m *earshot.Monitor, p citiesParams) (placesResponse, error) {
	return a.places(ctx, m, p.monitorRange, insight.Cities, p.Country)
}

// states serves /api/monitor/geography/states.
func (a *API) states(ctx context.Context, m *earshot.Monitor, p statesParams) (placesResponse, error) {
	return a.places(ctx, m, p.monitorRange, insight.States, p.Country)
}

// countries serves /api/monitor/geography/countries.
func (a *API) countries(ctx context.Context, m *earshot.Monitor, p monitorRange) (placesResponse, error) {
	return a.places(ctx, m, p, insight.Countries, "")
}

func (a *API) places(ctx context.Context, m *earshot.Monitor, p monitorRange, kind insight.PlaceKind, country countryCode) (placesResponse, error) {
	found, err := a.Insight.Places(ctx, m, p.days(), kind, string(country))
	if err != nil {
		return placesResponse{}, err
	}
	return placesResponse{
		StartDate:   earshot.Midnight(p.Start.Date),
		EndDate:     earshot.Midnight(p.End.Date),
		TotalVolume: found.Posts,
		Data: jsonvalue.Map(found.Places, func(c insight.PlaceCount) placeVolume {
			return placeVolume{newGeographyItem(c.Place), c.Posts, jsonvalue.Round(c.PerMillion())}
		}),
		Status: a.clientStatus(),
	}, nil
}
