package hook

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
)

// Limits of ntfy, in bytes. A longer message becomes an attachment.
const (
	ntfyMessage = 4_000
	ntfyTitle   = 250
)

// An ntfyBody publishes a message as JSON, because headers cannot contain all characters.
type ntfyBody struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Priority int      `json:"priority"`
	Click    string   `json:"click,omitempty"`
	Tags     []string `json:"tags,omitempty"`
}

func ntfyRequest(to channel.Address, m channel.Outgoing, _ time.Time) (request, error) {
	u, err := url.Parse(to.URL)
	if err != nil {
		return request{}, err
	}
	server, topic := channel.SplitTopic(u)
	if topic == "" {
		return request{}, errors.New("the address has no topic")
	}
	b := ntfyBody{
		Topic: topic, Title: clipEscaped(channel.Line(m.Title), ntfyTitle, plain), Message: clipEscaped(m.Body(), ntfyMessage, plain), Click: m.Link,
		Priority: 3,
	}
	switch {
	case m.Resolved():
		b.Tags = []string{"white_check_mark"}
	case m.Severity == earshot.Critical:
		b.Priority, b.Tags = 5, []string{"rotating_light"}
	case m.Severity == earshot.Warning:
		b.Priority, b.Tags = 4, []string{"warning"}
	}
	h := http.Header{}
	authorize(h, to)
	body, err := encode(b)
	return request{server, h, body}, err
}

// ntfyResult understands the responses of ntfy.
func ntfyResult(r response) channel.Result {
	var answer struct{ Error string }
	_ = json.Unmarshal(r.body, &answer)
	return rejected(r, clipEscaped(channel.Line(answer.Error), 100, plain))
}
