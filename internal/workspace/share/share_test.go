package share

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/secret/linktoken"
	"earshot/internal/secret/password"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A fixture is a service with two teams. Team 1, whose member is ann, has monitor 11 with filter 111
// and dashboard 21. Team 2, whose member is bob, has monitor 12 and dashboard 22.
type fixture struct {
	*Service
	*testing.T
	ann, bob *earshot.Caller
	now      time.Time
	writes   int
}

const phrase = "a long enough phrase"

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t, now: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)}
	store := &countingStore{Store: kv.NewMemory(), writes: &f.writes}
	c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	f.ann = earshot.NewCaller(&earshot.User{ID: 5, Username: "ann", Teams: []earshot.TeamID{1}})
	f.bob = earshot.NewCaller(&earshot.User{ID: 6, Username: "bob", Teams: []earshot.TeamID{2}})
	for i := range 2 {
		team, monitor, dashboard := earshot.TeamID(i+1), earshot.MonitorID(i+11), earshot.DashboardID(i+21)
		f.must(c.Teams.Add(t.Context(), team, &earshot.Team{ID: team}))
		f.must(c.Monitors.Add(t.Context(), monitor, &earshot.Monitor{ID: monitor, Team: team, Name: "Coffee", Filters: []earshot.Filter{{ID: monitor + 100, Name: "Berlin"}}}))
		f.must(c.Dashboards.Add(t.Context(), dashboard, &earshot.Dashboard{ID: dashboard, Team: team, Name: "Monday", Range: "last7", Cards: []earshot.Card{{ID: 4, Kind: earshot.VolumeCard, Monitor: monitor}}}))
	}
	f.Service = New(Options{Catalog: c, Secret: []byte("secret"), Hasher: password.Hasher{Memory: 64, Passes: 1, Threads: 1}, Now: func() time.Time { return f.now }})
	return f
}

type countingStore struct {
	kv.Store
	writes *int
}

func (s *countingStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	*s.writes++
	return s.Store.Put(ctx, key, value, revision)
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// add creates a link to dashboard 21, as changed by change.
func (f *fixture) add(change func(*NewLink)) (*earshot.ShareLink, Visit) {
	f.Helper()
	n := NewLink{Dashboard: 21}
	if change != nil {
		change(&n)
	}
	l, token, err := f.Add(f.Context(), f.ann, n)
	f.must(err)
	return l, Visit{Token: token, Address: "192.0.2.1"}
}

// refused fails unless a visit has an error with this message.
func (f *fixture) refused(v Visit, want string) {
	f.Helper()
	if _, err := f.Open(v); err == nil || err.Error() != want {
		f.Errorf("open: got %v, want %s", err, want)
	}
	if _, err := f.Card(v, 4); err == nil || err.Error() != want {
		f.Errorf("card: got %v, want %s", err, want)
	}
}

func (f *fixture) opens(v Visit) Page {
	f.Helper()
	p, err := f.Open(v)
	f.must(err)
	return p
}

const notValid = "This link is not valid or has expired"

func TestALinkShowsADashboard(t *testing.T) {
	f := newFixture(t)
	l, v := f.add(nil)
	if raw, err := base64.RawURLEncoding.DecodeString(v.Token); err != nil || len(raw) != 32 {
		t.Errorf("got token %s, want 32 bytes", v.Token)
	}
	if len(l.TokenHash) != 32 || strings.Contains(fmt.Sprintf("%s %+v", l.TokenHash, l), v.Token) {
		t.Errorf("got %+v, want only a hash of the token", l)
	}
	p := f.opens(v)
	if p.Name != "Monday" || p.Range != "last7" || len(p.Cards) != 1 || p.Cards[0].Monitor != 11 {
		t.Errorf("got %+v, want the dashboard", p)
	}
	if c := p.Caller; !c.In(1) || c.In(2) || c.Admin() || c.User != 0 || slices.ContainsFunc(earshot.Permissions, c.May) {
		t.Errorf("got caller %+v, want one that may only see team 1", c)
	}
	_, err := f.Catalog.Dashboards.Update(t.Context(), 21, func(d *earshot.Dashboard) error {
		d.Range, d.Cards = "last30", append(d.Cards, earshot.Card{ID: 5, Kind: earshot.WordsCard, Monitor: 11})
		return nil
	})
	f.must(err)
	if p := f.opens(v); p.Range != "last30" || len(p.Cards) != 2 {
		t.Errorf("got %+v, want later edits", p)
	}
	one, err := f.Card(v, 5)
	if err != nil || len(one.Cards) != 1 || one.Cards[0].Kind != earshot.WordsCard {
		t.Errorf("got %+v, %v, want the words", one, err)
	}
	if _, err := f.Card(v, 6); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("unknown card: got %v", err)
	}
}

func TestALinkShowsTheOverviewOfAMonitor(t *testing.T) {
	f := newFixture(t)
	_, v := f.add(func(n *NewLink) { *n = NewLink{Monitor: 111, Filter: "gender:F", Range: "last30"} })
	p := f.opens(v)
	var kinds []earshot.CardKind
	for i, c := range p.Cards {
		kinds = append(kinds, c.Kind)
		if c.ID != int64(i+1) || c.Monitor != 111 || c.Filter != "gender:F" {
			t.Errorf("got card %+v", c)
		}
	}
	if p.Name != "Coffee: Berlin" || p.Range != "last30" || !slices.Equal(kinds, OverviewCards) {
		t.Errorf("got %s, %s, %v", p.Name, p.Range, kinds)
	}
	_, v = f.add(func(n *NewLink) {
		*n = NewLink{Name: " Weekly ", Monitor: 11, Cards: []earshot.CardKind{earshot.WordsCard, earshot.FiguresCard}}
	})
	if p := f.opens(v); p.Name != "Weekly" || len(p.Cards) != 2 || p.Cards[0].Kind != earshot.FiguresCard || p.Cards[1].ID != 2 {
		t.Errorf("got %+v, want the two chosen cards", p)
	}
}

func TestInvalidLinks(t *testing.T) {
	f := newFixture(t)
	check := func(n NewLink, want string) {
		t.Helper()
		if _, _, err := f.Add(t.Context(), f.ann, n); err == nil || err.Error() != want {
			t.Errorf("%+v: got %v, want %s", n, err, want)
		}
	}
	check(NewLink{}, "Invalid request body: either dashboard or monitor must be set")
	check(NewLink{Dashboard: 21, Monitor: 11}, "Invalid request body: either dashboard or monitor must be set")
	check(NewLink{Dashboard: 22}, "Dashboard 22 does not exist")
	check(NewLink{Monitor: 12}, "Monitor 12 does not exist")
	check(NewLink{Monitor: 112}, "Monitor 112 does not exist")
	check(NewLink{Monitor: 11, Cards: []earshot.CardKind{"secrets"}}, "Invalid request body: cards must not contain 'secrets'")
	check(NewLink{Dashboard: 21, Name: strings.Repeat("x", 201)}, "Invalid request body: name must have 1 to 200 characters")
	check(NewLink{Dashboard: 21, Expires: f.now}, "Invalid request body: expires must be in the future")
	check(NewLink{Dashboard: 21, Password: "short"}, "Invalid request body: password must have 10 to 200 characters")
}

func TestEndedLinksLookLikeUnknownOnes(t *testing.T) {
	f := newFixture(t)
	_, v := f.add(nil)
	for _, token := range []string{"", "x", v.Token[1:], v.Token + "A", strings.ToLower(v.Token), linktoken.New(), strings.Repeat("x", 10_000), string(linktoken.Hash(v.Token))} {
		f.refused(Visit{Token: token, Address: "192.0.2.1"}, notValid)
	}
	l, expiring := f.add(func(n *NewLink) { n.Expires = f.now.Add(time.Hour) })
	f.opens(expiring)
	f.now = f.now.Add(time.Hour)
	f.refused(expiring, notValid)
	if _, err := f.Unlock(t.Context(), expiring, "x"); err != errInvalid {
		t.Errorf("unlock: got %v, want %v", err, errInvalid)
	}
	later := f.now.Add(time.Hour)
	if _, err := f.Edit(t.Context(), f.ann, l.ID, Changes{Expires: &later}); err != nil {
		t.Fatal(err)
	}
	f.opens(expiring)
	f.must(f.Revoke(t.Context(), f.ann, l.ID))
	f.refused(expiring, notValid)
	if _, err := f.Edit(t.Context(), f.ann, l.ID, Changes{Expires: &later}); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("edit a revoked link: got %v", err)
	}
	l, _ = f.Catalog.ShareLinks.Find(l.ID)
	if f.State(l) != Revoked {
		t.Errorf("got %s, want the link to stay listed", f.State(l))
	}

	_, monitor := f.add(func(n *NewLink) { *n = NewLink{Monitor: 11} })
	f.opens(monitor)
	_, err := f.Catalog.Monitors.Update(t.Context(), 11, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	f.must(err)
	f.refused(monitor, notValid)
	f.opens(v)
	f.must(f.Catalog.Dashboards.Remove(t.Context(), 21))
	f.refused(v, notValid)
}

func TestLinksOfARemovedTeam(t *testing.T) {
	f := newFixture(t)
	_, v := f.add(nil)
	f.must(f.Catalog.Teams.Remove(t.Context(), 1))
	f.refused(v, notValid)
}

func TestADashboardThatChangedTeamsIsNotShown(t *testing.T) {
	f := newFixture(t)
	_, v := f.add(nil)
	_, err := f.Catalog.Dashboards.Update(t.Context(), 21, func(d *earshot.Dashboard) error { d.Team = 2; return nil })
	f.must(err)
	f.refused(v, notValid)
}

func TestOnlyTheTeamManagesALink(t *testing.T) {
	f := newFixture(t)
	l, _ := f.add(nil)
	name := "x"
	_, err := f.Find(f.bob, l.ID)
	_, edit := f.Edit(t.Context(), f.bob, l.ID, Changes{Name: &name})
	for _, err := range []error{err, edit, f.Revoke(t.Context(), f.bob, l.ID)} {
		if err != errNoLink {
			t.Errorf("got %v, want %v", err, errNoLink)
		}
	}
	if n := len(f.List(f.bob)); n != 0 || len(f.List(f.ann)) != 1 {
		t.Errorf("bob sees %d links, want 0", n)
	}
}

func TestPassword(t *testing.T) {
	f := newFixture(t)
	l, v := f.add(func(n *NewLink) { n.Password = phrase })
	f.refused(v, "This link requires a password")
	unlock := func(given string) Visit {
		t.Helper()
		u, err := f.Unlock(t.Context(), v, given)
		f.must(err)
		return Visit{Token: v.Token, Address: v.Address, Cookie: u.Cookie}
	}
	if _, err := f.Unlock(t.Context(), v, "wrong"); err != errPassword {
		t.Errorf("got %v, want %v", err, errPassword)
	}
	open := unlock(phrase)
	f.opens(open)

	_, other := f.add(func(n *NewLink) { n.Password = phrase })
	other.Cookie = open.Cookie
	f.refused(other, "This link requires a password")
	raw, _ := base64.RawURLEncoding.DecodeString(open.Cookie)
	for i := range raw {
		forged := slices.Clone(raw)
		forged[i] ^= 1
		forgedVisit := open
		forgedVisit.Cookie = base64.RawURLEncoding.EncodeToString(forged)
		if _, err := f.Open(forgedVisit); err != errLocked {
			t.Fatalf("byte %d: got %v, want %v", i, err, errLocked)
		}
	}

	same := phrase
	_, err := f.Edit(t.Context(), f.ann, l.ID, Changes{Password: &same})
	f.must(err)
	f.refused(open, "This link requires a password")
	open = unlock(phrase)
	f.now = f.now.Add(unlockLife - time.Second)
	f.opens(open)
	f.now = f.now.Add(time.Second)
	f.refused(open, "This link requires a password")

	none := ""
	_, err = f.Edit(t.Context(), f.ann, l.ID, Changes{Password: &none})
	f.must(err)
	f.opens(v)
	if u, err := f.Unlock(t.Context(), v, "anything"); err != nil || u.Cookie != "" {
		t.Errorf("a link without a password: got %v, %v", u, err)
	}
}

func TestTheCookieEndsWithTheLink(t *testing.T) {
	f := newFixture(t)
	_, v := f.add(func(n *NewLink) { n.Password, n.Expires = phrase, f.now.Add(time.Hour) })
	u, err := f.Unlock(t.Context(), v, phrase)
	if err != nil || !u.Expires.Equal(f.now.Add(time.Hour)) {
		t.Errorf("got %v, %v, want a cookie for an hour", u.Expires, err)
	}
}

func TestGuessingIsThrottled(t *testing.T) {
	f := newFixture(t)
	l, v := f.add(func(n *NewLink) { n.Password = phrase })
	guess := func(v Visit, n int) (throttled int) {
		for i := range n {
			if _, err := f.Unlock(t.Context(), v, fmt.Sprint("guess ", i)); earshot.IsKind(err, earshot.OverLimit) {
				throttled++
			}
		}
		return throttled
	}
	if n := guess(v, 100); n != 90 {
		t.Errorf("%d of 100 guesses are throttled, want 90", n)
	}
	_, err := f.Unlock(t.Context(), v, phrase)
	if e, ok := err.(*earshot.Error); !ok || e.RetryAfter != time.Second {
		t.Errorf("the right password: got %#v, want to wait for a second", err)
	}
	elsewhere := v
	elsewhere.Address = "198.51.100.1"
	if _, err := f.Unlock(t.Context(), elsewhere, phrase); err != nil {
		t.Errorf("from another network: got %v", err)
	}
	f.now = f.now.Add(time.Minute)
	if _, err := f.Unlock(t.Context(), v, phrase); err != nil {
		t.Errorf("after a minute: got %v", err)
	}
	throttled := 0
	for network := range 50 {
		elsewhere.Address = fmt.Sprintf("203.0.113.%d", network)
		throttled += guess(elsewhere, 5)
	}
	if throttled == 0 {
		t.Error("guesses from many networks are not throttled")
	}
	if l, _ = f.Find(f.ann, l.ID); len(l.Uses) > maxUses {
		t.Errorf("got %d uses, want at most %d", len(l.Uses), maxUses)
	}
}

func TestConcurrentGuessesAreThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		_, v := f.add(func(n *NewLink) { n.Password = phrase })
		results := make(chan error, 100)
		for i := range 100 {
			go func() {
				_, err := f.Unlock(t.Context(), v, fmt.Sprint("guess ", i))
				results <- err
			}()
		}
		checked := 0
		for range 100 {
			if <-results == errPassword {
				checked++
			}
		}
		if checked > 11 { // two hashes run at the same time
			t.Errorf("%d guesses were checked, want 10 or 11", checked)
		}
	})
}

func TestRequestsAreLimited(t *testing.T) {
	f := newFixture(t)
	l, v := f.add(nil)
	flood := func(v Visit, n int) (err error) {
		for range n {
			_, err = f.Card(v, 4)
		}
		return err
	}
	f.must(flood(v, perNetwork))
	err := flood(v, 1)
	if e, ok := err.(*earshot.Error); !ok || e.Kind != earshot.OverLimit || e.RetryAfter != time.Minute {
		t.Errorf("one network: got %v, want a limit for a minute", err)
	}
	for network := range 10 {
		err = flood(Visit{Token: v.Token, Address: fmt.Sprintf("198.51.100.%d", network)}, perNetwork)
	}
	if !earshot.IsKind(err, earshot.OverLimit) {
		t.Errorf("many networks: got %v, want a limit", err)
	}
	_, other := f.add(nil)
	other.Address = "203.0.113.1"
	if _, err := f.Card(other, 4); err != nil {
		t.Errorf("another link: got %v", err)
	}
	f.now = f.now.Add(time.Minute)
	f.opens(v)
	l, _ = f.Find(f.ann, l.ID)
	if !slices.ContainsFunc(l.Uses, func(u earshot.ShareLinkUse) bool { return u.Refused == RefusedLimit && u.Network == "198.51.100.0/24" }) {
		t.Errorf("got %+v, want the limit among the uses", l.Uses)
	}
}

func TestAFloodNeedsLittleMemoryAndFewWrites(t *testing.T) {
	f := newFixture(t)
	l, v := f.add(nil)
	before := f.writes
	for i := range 10_000 {
		f.now = f.now.Add(40 * time.Millisecond) // within the limits
		v.Address = fmt.Sprintf("2001:db8:%x::1", i)
		f.opens(v)
		f.refused(Visit{Token: linktoken.New(), Address: v.Address}, notValid)
		if i%125 == 0 { // every five seconds
			f.write(t.Context())
		}
	}
	f.write(t.Context())
	if n := f.writes - before; n > 10_000/125+1 {
		t.Errorf("got %d writes, want one every five seconds", n)
	}
	u := f.usage
	if len(u.pending)+len(u.writing) > 0 || len(u.last) > 2000 {
		t.Errorf("got %d, %d and %d entries", len(u.pending), len(u.writing), len(u.last))
	}
	l, _ = f.Find(f.ann, l.ID)
	if l.Views != 10_000 || len(l.Uses) != maxUses || l.Uses[maxUses-1].Network != "2001:db8:270f::/48" {
		t.Errorf("got %d views and %d uses, last %+v", l.Views, len(l.Uses), l.Uses[len(l.Uses)-1])
	}
}

func TestUsesAreWrittenEveryFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.Now = time.Now
		l, v := f.add(nil)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { f.Service.Run(ctx); close(done) }()
		stored := func() (int64, int) {
			synctest.Wait()
			l, _ := f.Catalog.ShareLinks.Find(l.ID)
			return l.Views, len(l.Uses)
		}
		before := f.writes
		for range 3 {
			f.opens(v)
		}
		if n, _ := stored(); n != 0 {
			t.Errorf("got %d views at once, want none", n)
		}
		if l, _ := f.Find(f.ann, l.ID); l.Views != 3 || len(l.Uses) != 1 {
			t.Errorf("got %d views and %d uses, want three views, recorded as one use", l.Views, len(l.Uses))
		}
		time.Sleep(writeEvery)
		if n, uses := stored(); n != 3 || uses != 1 || f.writes != before+1 {
			t.Errorf("got %d views and %d uses in %d writes", n, uses, f.writes-before)
		}
		f.must(f.Revoke(t.Context(), f.ann, l.ID))
		for range 5 {
			f.Open(v)
		}
		cancel()
		<-done
		if n, uses := stored(); n != 3 || uses != 2 {
			t.Errorf("got %d views and %d uses, want one more that was refused", n, uses)
		}
		l, _ = f.Find(f.ann, l.ID)
		if last := l.Uses[1]; last.Refused != "revoked" || last.Network != "192.0.2.0/24" {
			t.Errorf("got %+v", last)
		}
	})
}

func TestEndedLinksMakeRoom(t *testing.T) {
	f := newFixture(t)
	first, _ := f.add(nil)
	second, _ := f.add(nil)
	for range MaxLinks - 2 {
		f.add(nil)
	}
	if _, _, err := f.Add(t.Context(), f.ann, NewLink{Dashboard: 21}); !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("got %v, want an error", err)
	}
	f.must(f.Revoke(t.Context(), f.ann, second.ID))
	f.add(nil)
	if _, err := f.Find(f.ann, second.ID); err != errNoLink {
		t.Errorf("the revoked link: got %v, want it removed", err)
	}
	if _, err := f.Find(f.ann, first.ID); err != nil {
		t.Errorf("the oldest link: got %v, want it kept", err)
	}
	if _, _, err := f.Add(t.Context(), f.bob, NewLink{Dashboard: 22}); err != nil {
		t.Errorf("another team: %v", err)
	}
}
