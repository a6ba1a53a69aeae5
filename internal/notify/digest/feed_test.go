package digest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/secret/linktoken"
)

func TestFeeds(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	f := func(l earshot.FeedLink, want string) {
		t.Helper()
		_, _, err := s.AddFeed(t.Context(), ann, l)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	f(earshot.FeedLink{Kind: "x", Monitor: 10}, "Invalid request body: kind must be posts or signals")
	f(earshot.FeedLink{Kind: earshot.PostFeed, Team: acme}, "Invalid request body: monitor is missing")
	f(earshot.FeedLink{Kind: earshot.SignalFeed}, "Invalid request body: team or monitor is missing")
	f(earshot.FeedLink{Kind: earshot.SignalFeed, Team: acme, Filter: "language:en"}, "Invalid request body: a feed of signals has no filter")
	f(earshot.FeedLink{Kind: earshot.SignalFeed, Team: other}, "Team 2 does not exist")
	f(earshot.FeedLink{Kind: earshot.PostFeed, Monitor: 12}, earshot.NoMonitor(12).Error())
	f(earshot.FeedLink{Kind: earshot.PostFeed, Team: acme, Monitor: 12}, earshot.NoMonitor(12).Error())
	f(earshot.FeedLink{Kind: earshot.PostFeed, Monitor: 10, Name: strings.Repeat("x", 201)}, "Invalid request body: name must have 0 to 200 characters")

	l, token, err := s.AddFeed(t.Context(), ann, earshot.FeedLink{Kind: earshot.PostFeed, Monitor: 110})
	if err != nil || l.Name != "Coffee: Women" || l.Team != acme {
		t.Fatalf("got %+v, %v", l, err)
	}
	stored, err := json.Marshal(l)
	if err != nil || bytes.Contains(stored, []byte(token)) {
		t.Errorf("the token is stored: %s", stored)
	}
	const address = "192.0.2.1"
	found, c, err := s.OpenFeed(token, address)
	if err != nil || found.ID != l.ID || !c.In(acme) || c.In(other) || c.Admin() || c.User != 0 {
		t.Errorf("got %+v for %+v, %v", found, c, err)
	}
	refused := func(token string) {
		t.Helper()
		if _, _, err := s.OpenFeed(token, address); err == nil || err.Error() != "This feed does not exist" || !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("%.50q: got %v", token, err)
		}
	}
	for _, wrong := range []string{"", "x", token[1:], token + "A", linktoken.New(), string(l.TokenHash), strings.Repeat("x", 10_000)} {
		refused(wrong)
	}

	// Another process removes the feed; it ends at once.
	w.check(w.service().RemoveFeed(t.Context(), ann, l.ID))
	refused(token)

	// A removed monitor or team looks the same.
	_, token, err = s.AddFeed(t.Context(), ann, earshot.FeedLink{Kind: earshot.SignalFeed, Monitor: 10})
	w.check(err)
	_, team, err := s.AddFeed(t.Context(), ann, earshot.FeedLink{Kind: earshot.SignalFeed, Team: acme})
	w.check(err)
	_, err = w.catalog.Monitors.Update(t.Context(), 10, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	w.check(err)
	refused(token)
	if _, _, err := s.OpenFeed(team, address); err != nil {
		t.Error(err)
	}
	w.check(w.catalog.Teams.Remove(t.Context(), acme))
	refused(team)

	// Too many requests are refused, also with wrong tokens.
	for range perNetwork {
		s.OpenFeed("x", "192.0.2.2")
	}
	if _, _, err := s.OpenFeed("x", "192.0.2.2"); !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("got %v, want a limit", err)
	}
}
