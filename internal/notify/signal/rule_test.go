package signal

import (
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/query/filter"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A peopleFixture is a service with two teams. Ann and Bob are on team 1, which has monitors 11 and
// 12 and channel 21. Eve is on team 2, which has monitor 13 and channel 22. Each monitor has a filter, whose ID
// is 100 higher. Monitor 12 is an opinion monitor with category 31.
type peopleFixture struct {
	*Service
	t             *testing.T
	ann, bob, eve *earshot.Caller
	root          *earshot.Caller
}

var peopleNow = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func newPeopleFixture(t *testing.T) *peopleFixture {
	t.Helper()
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	monitors := knownMonitors{c}
	f := &peopleFixture{t: t, Service: &Service{
		Catalog: c, Now: func() time.Time { return peopleNow }, Log: slog.New(slog.DiscardHandler),
		Monitors: monitors, Filters: &filter.Service{Monitors: monitors}, Insight: new(world),
	}}
	caller := func(id earshot.UserID, name string, team earshot.TeamID, permissions ...earshot.Permission) *earshot.Caller {
		u := &earshot.User{ID: id, Username: name, Teams: []earshot.TeamID{team}, Permissions: permissions}
		f.must(c.Users.Add(t.Context(), id, u))
		return earshot.NewCaller(u)
	}
	f.ann, f.bob, f.eve, f.root = caller(1, "ann", 1), caller(2, "bob", 1), caller(3, "eve", 2), caller(4, "root", 0, earshot.AdminPermission)
	for _, team := range []earshot.TeamID{1, 2} {
		f.must(c.Teams.Add(t.Context(), team, &earshot.Team{ID: team}))
		id := earshot.ChannelID(20 + team)
		f.must(c.Channels.Add(t.Context(), id, &earshot.Channel{ID: id, Team: team}))
	}
	for id, team := range map[earshot.MonitorID]earshot.TeamID{11: 1, 12: 1, 13: 2} {
		m := &earshot.Monitor{ID: id, Team: team, Filters: []earshot.Filter{{ID: id + 100}}, Categories: make([]earshot.Category, len(earshot.BasicCategories))}
		if id == 12 {
			m.Type, m.Categories = earshot.Opinion, []earshot.Category{{ID: 31, Name: "Taste"}}
		}
		f.must(c.Monitors.Add(t.Context(), id, m))
	}
	return f
}

func (f *peopleFixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// postRule returns a new rule of a monitor.
func (f *peopleFixture) postRule(m earshot.MonitorID) *earshot.Rule {
	f.t.Helper()
	r, err := f.AddRule(f.t.Context(), f.ann, earshot.Rule{Monitor: m, Kind: earshot.PostRule, Name: "Mentions"})
	f.must(err)
	return r
}

// signalOf returns a new firing signal.
func (f *peopleFixture) signalOf(m earshot.MonitorID, change func(*earshot.Signal)) *earshot.Signal {
	f.t.Helper()
	id, err := f.Catalog.NextIDs(f.t.Context(), 1)
	f.must(err)
	owner, _ := f.Catalog.FindMonitor(m)
	sig := &earshot.Signal{ID: earshot.SignalID(id), Team: owner.Team, Monitor: m, Kind: earshot.VolumeSignal, State: earshot.Firing, Severity: earshot.Warning, Raised: peopleNow}
	if change != nil {
		change(sig)
	}
	f.must(f.Catalog.Signals.Add(f.t.Context(), sig.ID, sig))
	return sig
}

// wantKind checks the kind of an error.
func wantKind(t *testing.T, what string, err error, kind earshot.Kind) {
	t.Helper()
	var e *earshot.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("%s: got error %v, want kind %v", what, err, kind)
	}
}

func TestRuleDefaults(t *testing.T) {
	f := newPeopleFixture(t)
	r, err := f.AddRule(t.Context(), f.ann, earshot.Rule{Monitor: 111, Kind: earshot.UnusualRule})
	f.must(err)
	if r.Team != 1 || r.Name != "Unusual activity" || r.Severity != earshot.Warning || r.Unusual.FalseAlarms != 12 || r.Unusual.MinPosts != 10 || r.CreatedBy != "ann" {
		t.Errorf("got %+v, want the defaults", r)
	}
}

func TestInvalidRules(t *testing.T) {
	f := newPeopleFixture(t)
	valid := earshot.Rule{Monitor: 11, Kind: earshot.ThresholdRule, Name: "Many", Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: 5, Window: time.Hour}}
	_, err := f.AddRule(t.Context(), f.ann, valid)
	f.must(err)
	for name, c := range map[string]struct {
		change func(*earshot.Rule)
		want   string // part of the message
	}{
		"no name":                   {func(r *earshot.Rule) { r.Name = " " }, "name must have"},
		"long name":                 {func(r *earshot.Rule) { r.Name = strings.Repeat("x", 201) }, "name must have"},
		"kind":                      {func(r *earshot.Rule) { r.Kind = "spike" }, "kind must be"},
		"filter":                    {func(r *earshot.Rule) { r.Filter = "bad:1" }, "there is no field 'bad'"},
		"long filter":               {func(r *earshot.Rule) { r.Filter = strings.Repeat("x", 4001) }, "filter must have"},
		"settings of another kind":  {func(r *earshot.Rule) { r.Unusual.FalseAlarms = 12 }, "unusual is only"},
		"metric":                    {func(r *earshot.Rule) { r.Threshold.Metric = "likes" }, "threshold.metric"},
		"negative value":            {func(r *earshot.Rule) { r.Threshold.Value = -1 }, "threshold.value"},
		"not a number":              {func(r *earshot.Rule) { r.Threshold.Value = math.NaN() }, "threshold.value"},
		"share of 101%":             {func(r *earshot.Rule) { r.Threshold.Metric, r.Threshold.Value = earshot.NegativeMetric, 1.01 }, "0 to 1"},
		"short window":              {func(r *earshot.Rule) { r.Threshold.Window = 0 }, "windowHours"},
		"long window":               {func(r *earshot.Rule) { r.Threshold.Window = 169 * time.Hour }, "windowHours"},
		"minimum for a count":       {func(r *earshot.Rule) { r.Threshold.MinPosts = 5 }, "minPosts is only"},
		"category of a buzz":        {func(r *earshot.Rule) { r.Threshold = share(earshot.CategoryMetric, "31") }, "opinion monitors"},
		"unknown category":          {func(r *earshot.Rule) { r.Monitor, r.Threshold = 12, share(earshot.CategoryMetric, "32") }, "threshold.of"},
		"state as a country":        {func(r *earshot.Rule) { r.Threshold = share(earshot.CountryMetric, "USA.CA") }, "a country"},
		"unknown language":          {func(r *earshot.Rule) { r.Threshold = share(earshot.LanguageMetric, "xx") }, "a language"},
		"of without such a metric":  {func(r *earshot.Rule) { r.Threshold.Of = "en" }, "threshold.of is only"},
		"severity":                  {func(r *earshot.Rule) { r.Severity = "panic" }, "severity must be"},
		"channel of another team":   {func(r *earshot.Rule) { r.Channels = []earshot.ChannelID{22} }, "channel 22 does not exist"},
		"channel twice":             {func(r *earshot.Rule) { r.Channels = []earshot.ChannelID{21, 21} }, "twice"},
		"time of day":               {func(r *earshot.Rule) { r.Active = []earshot.Hours{{From: 1440, To: 1440}} }, "active[0]"},
		"weekday twice":             {func(r *earshot.Rule) { r.Quiet = []earshot.Hours{{Days: []time.Weekday{1, 1}, To: 60}} }, "quiet[0].days"},
		"too many hours":            {func(r *earshot.Rule) { r.Quiet = make([]earshot.Hours, 15) }, "at most 14"},
		"cool-down":                 {func(r *earshot.Rule) { r.CoolDown = 8 * 24 * time.Hour }, "coolDownMinutes"},
		"muted for longer":          {func(r *earshot.Rule) { r.MutedUntil = peopleNow.AddDate(2, 0, 0) }, "mutedUntil"},
		"false alarms":              {func(r *earshot.Rule) { *r = unusualRule(earshot.Unusual{FalseAlarms: 5}) }, "1, 12 or 52"},
		"kind of unusual":           {func(r *earshot.Rule) { *r = unusualRule(earshot.Unusual{Kinds: []earshot.SignalKind{"post"}}) }, "'post' is not one of"},
		"filter of unusual":         {func(r *earshot.Rule) { *r = unusualRule(earshot.Unusual{}); r.Filter = "x" }, "has no filter"},
		"threshold of a post rule":  {func(r *earshot.Rule) { r.Kind = earshot.PostRule }, "threshold is only"},
		"minimum posts of unusual":  {func(r *earshot.Rule) { *r = unusualRule(earshot.Unusual{MinPosts: -1}) }, "unusual.minPosts"},
		"monitor of another team":   {func(r *earshot.Rule) { r.Monitor = 13 }, "Monitor 13 does not exist"},
		"monitor that is not there": {func(r *earshot.Rule) { r.Monitor = 99 }, "Monitor 99 does not exist"},
	} {
		r := valid
		c.change(&r)
		if _, err := f.AddRule(t.Context(), f.ann, r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
	if n := len(f.Catalog.Rules.List()); n != 1 {
		t.Errorf("got %d rules, want 1", n)
	}
}

func share(m earshot.Metric, of string) earshot.Threshold {
	return earshot.Threshold{Metric: m, Value: 0.5, Window: time.Hour, Of: of}
}

func unusualRule(u earshot.Unusual) earshot.Rule {
	return earshot.Rule{Monitor: 11, Kind: earshot.UnusualRule, Unusual: u}
}

func TestEditRule(t *testing.T) {
	f := newPeopleFixture(t)
	r := f.postRule(11)
	name, muted, old := "Important mentions", peopleNow.Add(time.Hour), r.Edits
	edited, err := f.EditRule(t.Context(), f.bob, r.ID, RuleChanges{Name: &name, MutedUntil: OptionalTime{Time: muted, Given: true}, Edits: &old})
	f.must(err)
	if edited.Name != name || !edited.MutedUntil.Equal(muted) || edited.EditedBy != "bob" || edited.Edits != 1 {
		t.Errorf("got %+v", edited)
	}
	_, err = f.EditRule(t.Context(), f.ann, r.ID, RuleChanges{Name: &name, Edits: &old})
	wantKind(t, "edit of an old version", err, earshot.Conflict)
	if err == nil || !strings.Contains(err.Error(), "bob has changed") {
		t.Errorf("got %v, want who changed it", err)
	}
	_, err = f.EditRule(t.Context(), f.eve, r.ID, RuleChanges{Name: &name})
	wantKind(t, "edit by another team", err, earshot.NotFound)
}

func TestOneUnusualRule(t *testing.T) {
	f := newPeopleFixture(t)
	_, err := f.AddRule(t.Context(), f.ann, unusualRule(earshot.Unusual{}))
	f.must(err)
	_, err = f.AddRule(t.Context(), f.ann, unusualRule(earshot.Unusual{}))
	wantKind(t, "a second unusual rule", err, earshot.Conflict)
}

func TestDetection(t *testing.T) {
	f := newPeopleFixture(t)
	r, err := f.Detection(f.ann, 11)
	f.must(err)
	if r.ID != 0 || r.Unusual.FalseAlarms != 12 || r.Severity != earshot.Warning || r.Team != 1 {
		t.Errorf("got %+v, want the defaults", r)
	}
	quiet := earshot.Info
	for _, rate := range []int{52, 1} { // creates the rule, then changes it
		_, err = f.SetDetection(t.Context(), f.ann, 11, RuleChanges{Unusual: &Unusual{FalseAlarms: rate}, Severity: &quiet})
		f.must(err)
		m, _ := f.Catalog.FindMonitor(11)
		if r = f.detection(m); r.ID == 0 || r.Unusual.FalseAlarms != rate || r.Severity != earshot.Info {
			t.Errorf("got %+v, want %d false alarms", r, rate)
		}
	}
	if n := len(f.Catalog.Rules.List()); n != 1 {
		t.Errorf("got %d rules, want 1", n)
	}
	f.must(f.ResetDetection(t.Context(), f.ann, 11))
	f.must(f.ResetDetection(t.Context(), f.ann, 11))
	if r, _ = f.Detection(f.ann, 11); r.ID != 0 || r.Unusual.FalseAlarms != 12 {
		t.Errorf("got %+v, want the defaults again", r)
	}
	_, err = f.Detection(f.eve, 11)
	wantKind(t, "detection of another team", err, earshot.NotFound)
}

func TestListRules(t *testing.T) {
	f := newPeopleFixture(t)
	f.postRule(11)
	f.postRule(111)
	f.postRule(12)
	for _, c := range []struct {
		name   string
		caller *earshot.Caller
		q      RuleQuery
		want   int
	}{
		{"all", f.ann, RuleQuery{}, 3},
		{"a monitor with its filters", f.ann, RuleQuery{Monitor: 11}, 2},
		{"a filter", f.ann, RuleQuery{Monitor: 111}, 1},
		{"another kind", f.ann, RuleQuery{Kind: earshot.UnusualRule}, 0},
		{"another team", f.eve, RuleQuery{}, 0},
		{"an administrator", f.root, RuleQuery{Team: 1}, 3},
	} {
		list, err := f.Rules(c.caller, c.q)
		f.must(err)
		if len(list) != c.want {
			t.Errorf("%s: got %d rules, want %d", c.name, len(list), c.want)
		}
	}
	_, err := f.Rules(f.eve, RuleQuery{Monitor: 11})
	wantKind(t, "rules of another team's monitor", err, earshot.NotFound)
}

func TestRemoveRuleResolvesItsSignals(t *testing.T) {
	f := newPeopleFixture(t)
	r := f.postRule(11)
	mine := f.signalOf(11, func(sig *earshot.Signal) { sig.Rule = r.ID })
	other := f.signalOf(11, nil)
	f.must(f.RemoveRule(t.Context(), f.ann, r.ID))
	if sig, _ := f.Catalog.Signals.Find(mine.ID); sig.State != earshot.ResolvedSignal || len(sig.Events) != 1 || sig.Events[0].By != "ann" {
		t.Errorf("got %+v, want a resolved signal", sig)
	}
	if sig, _ := f.Catalog.Signals.Find(other.ID); sig.State != earshot.Firing {
		t.Errorf("got state %s of a signal without the rule", sig.State)
	}
	_, err := f.FindRule(f.ann, r.ID)
	wantKind(t, "removed rule", err, earshot.NotFound)
}

func TestCleanRemovesWhatHasNoMonitor(t *testing.T) {
	f := newPeopleFixture(t)
	f.postRule(11)
	f.postRule(111)
	kept := f.postRule(12)
	f.signalOf(11, nil)
	f.signalOf(111, nil)
	stays := f.signalOf(12, nil)
	_, err := f.Catalog.Monitors.Update(t.Context(), 11, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	f.must(err)
	if list, _ := f.List(f.ann, Query{}); len(list) != 1 {
		t.Errorf("got %d signals before Clean, want 1", len(list))
	}
	f.must(f.Clean(t.Context()))
	if rules := f.Catalog.Rules.List(); len(rules) != 1 || rules[0].ID != kept.ID {
		t.Errorf("got rules %+v, want only that of monitor 12", rules)
	}
	if signals := f.Catalog.Signals.List(); len(signals) != 1 || signals[0].ID != stays.ID {
		t.Errorf("got signals %+v, want only that of monitor 12", signals)
	}
}
