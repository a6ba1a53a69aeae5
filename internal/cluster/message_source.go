package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"earshot"
	"earshot/internal/connector"
)

// forwardTimeout bounds a forwarded request, including the time in which the source stores its posts.
const forwardTimeout = 25 * time.Second

// A sourceRequest is a request that another node has received.
type sourceRequest struct {
	Process string
	Source  earshot.LiveSourceID
	Request connector.Request
}

// A sourceResponse is the response of the source, or an error.
type sourceResponse struct {
	Response connector.Response
	Error    *sourceError `json:",omitempty"`
}

type sourceError struct {
	Kind       earshot.Kind
	Message    string
	RetryAfter time.Duration
}

// Forward passes a request to the node that runs a live source. It fails with
// [connector.ErrNotRunning] if none does.
func (m *Membership) Forward(ctx context.Context, id earshot.LiveSourceID, r connector.Request) (connector.Response, error) {
	data, err := json.Marshal(sourceRequest{m.process, id, r})
	if err != nil {
		return connector.Response{}, err
	}
	if int64(len(data)) > m.Messenger.MaxPayload() {
		return connector.Response{}, earshot.Errorf(earshot.TooLarge, "The request is too large for a node that does not run the source. Please send less at once")
	}
	ctx, cancel := context.WithTimeout(ctx, forwardTimeout)
	defer cancel()
	var response *sourceResponse
	err = m.askAll(ctx, sourceSubject, data, func(data []byte) bool {
		var found sourceResponse
		if json.Unmarshal(data, &found) == nil {
			response = &found
		}
		return response == nil
	})
	switch {
	case response == nil:
		if err != nil {
			m.Log.Debug("no node runs the source of a request", "source", id, "error", err)
		}
		return connector.Response{}, connector.ErrNotRunning
	case response.Error != nil:
		e := response.Error
		return connector.Response{}, &earshot.Error{Kind: e.Kind, Message: e.Message, RetryAfter: e.RetryAfter}
	}
	return response.Response, nil
}

// serveSource answers a request that another node has forwarded, if the source runs here.
func (m *Membership) serveSource(ctx context.Context, data []byte, h Handlers) ([]byte, error) {
	var r sourceRequest
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Process == m.process {
		return nil, connector.ErrNotRunning
	}
	response, err := h.Receive(ctx, r.Source, r.Request)
	var e *earshot.Error
	switch {
	case errors.Is(err, connector.ErrNotRunning):
		return nil, err
	case errors.As(err, &e):
		return json.Marshal(sourceResponse{Error: &sourceError{e.Kind, e.Message, e.RetryAfter}})
	case err != nil:
		return nil, err
	}
	return json.Marshal(sourceResponse{Response: response})
}
