package app

import (
	"context"
	"net/http"

	"earshot"
	"earshot/internal/connector"
)

// quietKind is a kind of live sources that delivers nothing, and accepts every request.
func quietKind() connector.Kind {
	return connector.Kind{
		Name: "quiet", Title: "Quiet", Keep: earshot.KeepAll, Secret: "token", Receives: true,
		Settings: []connector.Setting{{Name: "url"}},
		Sources:  func(connector.Settings) []earshot.Source { return []earshot.Source{earshot.Bluesky} },
		New:      func(connector.Env) connector.Connector { return quiet{} },
	}
}

type quiet struct{}

func (quiet) Run(ctx context.Context, _ string, sink connector.Sink) error {
	sink.Report(connector.State{Phase: connector.Live})
	<-ctx.Done()
	return ctx.Err()
}

func (quiet) Sample(context.Context, int) ([]earshot.Post, error) { return nil, nil }

func (quiet) Receive(context.Context, connector.Request) (connector.Response, error) {
	return connector.Response{Status: http.StatusAccepted}, nil
}
