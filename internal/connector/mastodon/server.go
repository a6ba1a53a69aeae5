package mastodon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"earshot/internal/connector"
	"earshot/internal/connector/htmltext"
)

const maxServerSize = 1 << 20 // of the description of a server; large ones have 20 KB

// A server is the description of a server.
type server struct {
	domain    string // of its users
	streaming string // address for streams, without a slash at its end
	access    access
	rules     connector.Rules
}

// access states who may read the timelines of a server. Servers before version 4.5 do not state it.
type access struct {
	Live    feed `json:"live_feeds"`
	Hashtag feed `json:"hashtag_feeds"`
}

// A feed states who may read posts by the server's own users and posts from other servers.
type feed struct {
	Local  reading `json:"local"`
	Remote reading `json:"remote"`
}

// A reading is who may read a feed. Empty means that the server does not state it.
type reading string

const (
	byAll    reading = "public"
	byUsers  reading = "authenticated"
	byNobody reading = "disabled"
)

// serverInfo is the response of /api/v2/instance. Fields that only /api/v1/instance has follow at the
// end.
type serverInfo struct {
	Domain        string `json:"domain"`
	Configuration struct {
		URLs struct {
			Streaming string `json:"streaming"`
			About     string `json:"about"`
			Terms     string `json:"terms_of_service"`
		} `json:"urls"`
		Access access `json:"timelines_access"`
	} `json:"configuration"`
	Rules []struct {
		Text string `json:"text"`
		Hint string `json:"hint"`
	} `json:"rules"`

	URI  string `json:"uri"`
	URLs struct {
		Streaming string `json:"streaming_api"`
	} `json:"urls"`
}

func (c *client) readServer(ctx context.Context) (*server, error) {
	body, err := c.get(ctx, "/api/v2/instance", nil, maxServerSize)
	if isStatus(err, http.StatusNotFound) {
		body, err = c.get(ctx, "/api/v1/instance", nil, maxServerSize)
	}
	switch {
	case isStatus(err, http.StatusNotFound):
		return nil, fmt.Errorf("%w: %s is not a Mastodon server", connector.ErrAttention, c.base)
	case err != nil:
		return nil, err
	}
	s, err := decodeServer(body, c.base)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not a Mastodon server: %w", connector.ErrAttention, c.base, err)
	}
	return s, nil
}

var errNotServer = errors.New("its description cannot be decoded")

func decodeServer(body []byte, base string) (*server, error) {
	var info serverInfo
	if err := json.Unmarshal(body, &info); err != nil {
		return nil, errNotServer
	}
	s := &server{domain: info.Domain, access: info.Configuration.Access}
	if s.domain == "" {
		s.domain = info.URI // some servers have an address here
		if u, err := url.Parse(s.domain); err == nil && u.Host != "" {
			s.domain = u.Host
		}
	}
	if s.domain == "" {
		return nil, errNotServer
	}
	streaming := info.Configuration.URLs.Streaming
	if streaming == "" {
		streaming = info.URLs.Streaming
	}
	s.streaming = streamingURL(streaming, base)
	s.rules = info.rules(base)
	return s, nil
}

// streamingURL returns the address for streams as an HTTP address. If the server's own address is
// encrypted, the token is never sent unencrypted.
func streamingURL(address, base string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return base
	}
	switch {
	case u.Scheme == "wss" || u.Scheme == "https":
		u.Scheme = "https"
	case (u.Scheme == "ws" || u.Scheme == "http") && strings.HasPrefix(base, "http:"):
		u.Scheme = "http"
	default:
		return base
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+u.Path, "/")
}

// rules returns the rules of the server. The version covers the address of its terms, which contains
// their date on many servers.
func (info *serverInfo) rules(base string) connector.Rules {
	r := connector.Rules{URL: base + "/about"}
	for _, address := range []string{info.Configuration.URLs.Terms, info.Configuration.URLs.About} {
		if u, err := url.Parse(address); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
			r.URL = address
			break
		}
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q", r.URL)
	for _, rule := range info.Rules {
		text := htmltext.Text(rule.Text)
		if hint := htmltext.Text(rule.Hint); hint != "" {
			text += "\n" + hint
		}
		r.Items = append(r.Items, text)
		fmt.Fprintf(hash, "%q", text)
	}
	r.Version = hex.EncodeToString(hash.Sum(nil)[:8])
	return r
}

// readRules implements Kind.Rules.
func readRules(ctx context.Context, e connector.Env) (connector.Rules, error) {
	cfg, err := parseSettings(e.Settings)
	if err != nil {
		return connector.Rules{}, err
	}
	s, err := newClient(e, cfg, func(connector.Counters) {}).readServer(ctx)
	if err != nil {
		return connector.Rules{}, err
	}
	return s.rules, nil
}

// check returns a user-facing error if the source must not read the server because its rules have not
// been accepted or it does not show the timeline.
func (s *server) check(cfg config, token bool) error {
	switch {
	case cfg.accepted == "":
		return fmt.Errorf("%w: the rules of %s have not been accepted; read and accept them first", connector.ErrAttention, s.domain)
	case cfg.accepted != s.rules.Version:
		return fmt.Errorf("%w: the rules of %s changed; read and accept them again", connector.ErrAttention, s.domain)
	}
	f := s.access.Live
	if cfg.timeline == hashtagTimeline {
		f = s.access.Hashtag
	}
	readings := []reading{f.Local, f.Remote} // the timeline has those that may be read
	switch cfg.timeline {
	case localTimeline:
		readings = []reading{f.Local}
	case remoteTimeline:
		readings = []reading{f.Remote}
	}
	best := byNobody
	for _, r := range readings {
		switch {
		case r == byAll || r == "":
			best = byAll
		case r == byUsers && best == byNobody:
			best = byUsers
		}
	}
	switch {
	case best == byNobody:
		return fmt.Errorf("%w: %s does not show its %s timeline; choose another timeline or server", connector.ErrAttention, s.domain, cfg.timeline)
	case best == byUsers && !token:
		return fmt.Errorf("%w: %s shows its %s timeline only with an access token", connector.ErrAttention, s.domain, cfg.timeline)
	}
	return nil
}
