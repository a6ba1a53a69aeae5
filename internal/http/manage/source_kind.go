package manage

import (
	"context"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/jsonvalue"
)

// sourceKind is a network that sources can be added for.
type sourceKind struct {
	Name        string              `json:"name"`
	Title       string              `json:"title"`
	Description string              `json:"description"`
	Keep        earshot.Keep        `json:"keep"`   // default
	Secret      string              `json:"secret"` // what the secret is, such as access token; empty: none
	Settings    []connector.Setting `json:"settings"`
	Rules       bool                `json:"rules"`    // POST /manage/v1/sources/rules may return rules to accept
	Receives    bool                `json:"receives"` // the network sends its posts to an endpoint of the source
}

// listSourceKinds serves GET /manage/v1/source-kinds.
func (a *API) listSourceKinds(context.Context, *earshot.Caller, struct{}) (page[sourceKind], error) {
	return page[sourceKind]{Items: jsonvalue.Map(a.SourceKinds, newSourceKind)}, nil
}

func newSourceKind(k connector.Kind) sourceKind {
	return sourceKind{
		Name: k.Name, Title: k.Title, Description: k.Description, Keep: k.Keep, Secret: k.Secret,
		Settings: k.Settings, Rules: k.Rules != nil, Receives: k.Receives,
	}
}
