package manage

import (
	"context"
	"strings"

	"earshot"
	"earshot/internal/geo"
)

const (
	defaultPlaces = 20
	maxPlaces     = 100 // results per search
	maxPlaceIDs   = 200 // IDs per request
)

type placesParams struct {
	Text  string `query:"q"`
	Limit *int   `query:"limit"`
	IDs   string `query:"ids"`
}

type placesResponse struct {
	Items []place `json:"items"`
}

type place struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	State   string `json:"state,omitempty"` // only for a city
	Country string `json:"country"`
	Kind    string `json:"kind" values:"country,state,city"`
}

// findPlaces finds places whose name or ID starts with a text. If IDs are given, it instead looks
// up those places, in the same order, and ignores unknown IDs.
func (a *API) findPlaces(_ context.Context, _ *earshot.Caller, p placesParams) (placesResponse, error) {
	if p.IDs != "" {
		return placesByID(p.IDs)
	}
	limit, err := parseLimit(p.Limit, defaultPlaces, maxPlaces)
	if err != nil {
		return placesResponse{}, err
	}
	var response placesResponse
	for _, item := range geo.SearchPrefix(p.Text, limit) {
		response.Items = append(response.Items, newPlace(item))
	}
	return response, nil
}

func placesByID(list string) (placesResponse, error) {
	ids := strings.Split(list, ";")
	if len(ids) > maxPlaceIDs {
		return placesResponse{}, earshot.InvalidParameter("ids", list, "at most 200 geography ids, separated by semicolons")
	}
	var response placesResponse
	for _, id := range ids {
		id = strings.TrimSpace(id)
		found, _ := geo.Find(id)
		if item, ok := geo.Lookup(found); ok {
			named := newPlace(item)
			if id == found.ID() {
				named.ID = id // callers look for the one that an earlier version sent
			}
			response.Items = append(response.Items, named)
		}
	}
	return response, nil
}

func newPlace(item geo.Entry) place {
	at := item.Place
	p := place{ID: geo.Plain(at).ID(), Name: item.Name, Country: placeName(earshot.Place{Country: at.Country}), Kind: "country"}
	switch {
	case at.City != "":
		p.Kind, p.State = "city", placeName(earshot.Place{Country: at.Country, State: at.State})
	case at.State != "":
		p.Kind = "state"
	}
	return p
}

func placeName(p earshot.Place) string {
	item, _ := geo.Lookup(p)
	return item.Name
}
