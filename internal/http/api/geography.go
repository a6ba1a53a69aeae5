package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/postview"
)

// A countryCode is the ISO 3166 alpha-3 code of an existing country. Case does not matter in
// requests.
type countryCode string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *countryCode) UnmarshalText(text []byte) error {
	code := strings.ToUpper(string(text))
	if country, ok := geo.FindCountry(code); !ok || country.Code != code {
		return errors.New("an ISO 3166 alpha-3 code like USA")
	}
	*c = countryCode(code)
	return nil
}

type geographyItem struct {
	postview.Geolocation
	Latitude  float64 `json:"latitude" doc:"degrees north"`
	Longitude float64 `json:"longitude" doc:"degrees east"`
}

type geographyResponse struct {
	Resources []geographyItem `json:"resources" doc:"the places"`
	Status    *rest.Success   `json:"status,omitempty" doc:"success; only with the setting compat = clients"`
}

type inCountry struct {
	Country countryCode `query:"country,required" doc:"ISO 3166 alpha-3 code, for example USA" example:"USA"`
}

// geographyAll serves /api/geography/info/all. It sends the 60,000 places while it reads them from
// the gazetteer, and nothing if the client already has the current list.
func (a *API) geographyAll(context.Context, *earshot.Caller, struct{}) (rest.Download, error) {
	tag := geo.Checksum() + "p" // with plain ids
	if a.ForClients {
		tag += "s" // the response differs, because it includes a status
	}
	return rest.Download{
		Type: "application/json;charset=UTF-8",
		Tag:  tag,
		Write: func(_ context.Context, w io.Writer) error {
			return writeGeography(w, geo.All(), a.clientStatus())
		},
	}, nil
}

// geographyCountries serves /api/geography/info/countries.
func (a *API) geographyCountries(context.Context, *earshot.Caller, struct{}) (geographyResponse, error) {
	return a.listGeography(geo.Countries()), nil
}

// geographyStates serves /api/geography/info/states.
func (a *API) geographyStates(_ context.Context, _ *earshot.Caller, p inCountry) (geographyResponse, error) {
	return a.listGeography(geo.States(string(p.Country))), nil
}

// geographyCities serves /api/geography/info/cities.
func (a *API) geographyCities(_ context.Context, _ *earshot.Caller, p inCountry) (geographyResponse, error) {
	return a.listGeography(geo.Cities(string(p.Country))), nil
}

func (a *API) listGeography(items []geo.Entry) geographyResponse {
	return geographyResponse{Resources: jsonvalue.Map(items, newGeographyItem), Status: a.clientStatus()}
}

func newGeographyItem(i geo.Entry) geographyItem {
	return geographyItem{
		Geolocation: postview.NewGeolocation(i),
		Latitude:    i.Latitude,
		Longitude:   i.Longitude,
	}
}

// writeGeography writes the same JSON as a geographyResponse of the items, without building one in
// memory.
func writeGeography(to io.Writer, items iter.Seq[geo.Entry], status *rest.Success) error {
	w := bufio.NewWriterSize(to, 64<<10) // keeps the first error and returns it from Flush
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // as in all responses
	_, _ = w.WriteString(`{"resources":[`)
	first := true
	for i := range items {
		line.Reset()
		if err := enc.Encode(newGeographyItem(i)); err != nil {
			return err
		}
		if !first {
			_ = w.WriteByte(',')
		}
		first = false
		if _, err := w.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n"))); err != nil {
			return err // the client disconnected
		}
	}
	if status != nil {
		_, _ = w.WriteString(`],"status":"success"}`)
	} else {
		_, _ = w.WriteString(`]}`)
	}
	return w.Flush()
}
