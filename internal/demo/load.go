package demo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/content"
	"earshot/internal/monitor"
	"earshot/internal/state/journal"
	"earshot/internal/stream"
	"earshot/internal/training"
)

// The users of the demonstration.
const (
	Username = "demo"
	Password = "earshot-demo"

	limitedUsername = "limited"
	limitedPassword = "earshot-limited"

	noAPIUsername = "noapi"
	noAPIPassword = "earshot-noapi"

	lastUsername = noAPIUsername
)

// A World is what the demonstration is loaded into.
type World struct {
	Accounts *account.Service
	Monitors *monitor.Service
	Content  *content.Service
	Training *training.Service
	Streams  *stream.Service
	Journal  journal.Journal
}

// Load fills the world: users, teams, monitors, account figures and posts. What is
// there already is kept, and what an interruption left undone is done. It returns
// the monitors.
func (g Generator) Load(ctx context.Context, w World) ([]*earshot.Monitor, error) {
	complete, err := w.state()
	if err != nil {
		return nil, err
	}
	c, team, err := w.addOwner(ctx)
	if err != nil {
		return nil, fmt.Errorf("demo users: %w", err)
	}
	if complete {
		return w.Monitors.List(c, team.ID), nil
	}
	if err := g.addMonitors(ctx, w, c, team); err != nil {
		return nil, fmt.Errorf("demo monitors: %w", err)
	}
	last, err := w.Journal.Last(ctx)
	if err != nil {
		return nil, err
	}
	list := w.Monitors.List(c, team.ID)
	if last > 0 { // it was interrupted: the same posts again replace those that are there
		g.End = list[0].Created.Truncate(time.Hour)
	}
	for _, m := range list {
		if err := g.addFigures(ctx, w, m); err != nil {
			return nil, fmt.Errorf("demo figures: %w", err)
		}
	}
	lessons := newLessons()
	live := sync.OnceValue(func() error { return w.addStream(ctx, c, team) })
	if err := g.addPosts(ctx, w.Journal, lessons, live); err != nil {
		return nil, fmt.Errorf("demo posts: %w", err)
	}
	for _, m := range list {
		if m.Name == Reasons {
			if err := w.teach(ctx, c, m, lessons); err != nil {
				return nil, fmt.Errorf("demo training: %w", err)
			}
		}
	}
	if err := w.addOthers(ctx, c, team); err != nil {
		return nil, fmt.Errorf("demo users: %w", err)
	}
	return w.Monitors.List(c, team.ID), nil
}

// state reports whether the demonstration is there: its last user is. A world with
// other users is refused, because a known password has no place in it.
func (w World) state() (complete bool, err error) {
	users := map[string]bool{}
	for _, u := range w.Accounts.ListUsers() {
		users[u.Username] = true
	}
	if len(users) > 0 && !users[Username] {
		return false, errors.New("the data directory holds data that is not the demonstration's; choose another with --data")
	}
	return users[lastUsername], nil
}

// addOwner makes the main user and team.
func (w World) addOwner(ctx context.Context) (*earshot.Caller, *earshot.Team, error) {
	u, err := w.user(ctx, account.NewUser{Username: Username, Password: Password, FirstName: "Demo", LastName: "User",
		APIAccess: true, Permissions: earshot.Permissions})
	if err != nil {
		return nil, nil, err
	}
	team, err := w.team(ctx, u, "Demo")
	return earshot.NewCaller(u), team, err
}

// addOthers makes the other team and users, of whom lastUsername comes last: that
// user is there when everything is.
func (w World) addOthers(ctx context.Context, c *earshot.Caller, team *earshot.Team) error {
	owner, err := w.Accounts.FindUser(c.User)
	if err != nil {
		return err
	}
	other, err := w.team(ctx, owner, "Other")
	if err != nil {
		return err
	}
	for _, n := range []account.NewUser{
		{Username: limitedUsername, Password: limitedPassword, APIAccess: true, Teams: []earshot.TeamID{other.ID}},
		{Username: noAPIUsername, Password: noAPIPassword, Teams: []earshot.TeamID{team.ID}},
	} {
		if _, err := w.user(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (w World) user(ctx context.Context, n account.NewUser) (*earshot.User, error) {
	users := w.Accounts.ListUsers()
	if i := slices.IndexFunc(users, func(u *earshot.User) bool { return u.Username == n.Username }); i >= 0 {
		return users[i], nil
	}
	return w.Accounts.AddUser(ctx, n)
}

func (w World) team(ctx context.Context, u *earshot.User, name string) (*earshot.Team, error) {
	c := earshot.NewCaller(u)
	teams := w.Accounts.ListTeams(c)
	if i := slices.IndexFunc(teams, func(t *earshot.Team) bool { return t.Name == name }); i >= 0 {
		return teams[i], nil
	}
	return w.Accounts.AddTeam(ctx, c, earshot.Team{Name: name})
}

// addPosts appends all posts and picks those that the lessons are made of. Before the posts of
// the last day it calls live.
func (g Generator) addPosts(ctx context.Context, j journal.Journal, lessons []lesson, live func() error) error {
	lastDay := g.End.Add(-24 * time.Hour)
	for _, all := range []iter.Seq[earshot.Post]{g.Posts(), g.Updates()} {
		for posts := range chunks(all, content.MaxItems) {
			if last := posts[len(posts)-1]; !last.Time.Before(lastDay) {
				if err := live(); err != nil {
					return fmt.Errorf("stream: %w", err)
				}
			}
			for i := range posts {
				note(lessons, &posts[i])
			}
			if _, err := j.Append(ctx, journal.Entry{Posts: posts}); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunks cuts a sequence into slices of n, the last one perhaps shorter.
func chunks(posts iter.Seq[earshot.Post], n int) iter.Seq[[]earshot.Post] {
	return func(yield func([]earshot.Post) bool) {
		chunk := make([]earshot.Post, 0, n)
		for p := range posts {
			if chunk = append(chunk, p); len(chunk) == n {
				if !yield(chunk) {
					return
				}
				chunk = make([]earshot.Post, 0, n)
			}
		}
		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}

// addStream makes the stream, unless it is there.
func (w World) addStream(ctx context.Context, c *earshot.Caller, team *earshot.Team) error {
	if len(w.Streams.List(c, team.ID)) > 0 {
		return nil
	}
	st, err := w.Streams.Add(ctx, c, team.ID, StreamName)
	if err != nil {
		return err
	}
	for _, m := range w.Monitors.List(c, team.ID) {
		if m.Name != Reasons && m.Name != pressMonitor && m.Name != twitterMonitor {
			continue
		}
		if _, err := w.Streams.AddMonitor(ctx, c, st.ID, m.ID); err != nil {
			return err
		}
	}
	return nil
}

// A planned is a monitor of the demonstration.
type planned struct {
	name, description string
	kind              earshot.MonitorType
	keywords          string
	languages         []string
	sources           []string
	account           earshot.Account
	categories        []string
	hashtags          []string
	filter            plannedFilter
}

// StreamName is the name of the stream, in which the posts of the last day wait.
const StreamName = "Coffee machines live"

// Monitors whose posts it takes, besides Reasons.
const (
	twitterMonitor = "Coffee machines on Twitter"
	pressMonitor   = "Press and forums"
)

// A plannedFilter is the subfilter of one; the zero value is none.
type plannedFilter struct{ name, keywords string }

var monitors = []planned{
	{name: Brand, description: "Everything said about the brand", keywords: "morvessa OR @" + TwitterHandle, filter: plannedFilter{"The recall", "recall OR recalls OR solano OR overheated"}},
	{name: twitterMonitor, description: "The three makers, microblogs only", keywords: "morvessa OR kelvarro OR ostrinde",
		sources: []string{"Twitter", "Bluesky", "Mastodon"}, filter: plannedFilter{Brand, "morvessa"}},
	{name: "Coffee pictures", description: "Instagram posts about coffee", keywords: "morvessa OR kelvarro OR ostrinde OR coffee",
		sources: []string{"Instagram"}, hashtags: []string{"morvessa"}},
	{name: pressMonitor, description: "No microblogs", keywords: "morvessa OR kelvarro OR ostrinde",
		sources: []string{"News", "Blogs", "Forums", "Reviews", "Comments", "Reddit"}},
	{name: Reasons, description: "What people who write about the makers care for, in English", kind: earshot.Opinion,
		keywords: "morvessa OR kelvarro OR ostrinde", languages: []string{"EN"}, categories: []string{"Taste", "Price", "Reliability", "Service", "Off-topic"}},
	{name: Brand + " on Twitter", description: "The brand's account", kind: earshot.Social,
		account: earshot.Account{Network: earshot.Twitter, Handle: TwitterHandle}},
	{name: Brand + " on Instagram", description: "The brand's account", kind: earshot.Social,
		account: earshot.Account{Network: earshot.Instagram, Handle: InstagramHandle}},
	{name: Brand + " on Facebook", description: "The brand's page", kind: earshot.Social,
		account: earshot.Account{Network: earshot.Facebook, PageID: FacebookPageID}},
}

// addMonitors makes the monitors that are not there yet, with their subfilters.
func (g Generator) addMonitors(ctx context.Context, w World, c *earshot.Caller, team *earshot.Team) error {
	existing := w.Monitors.List(c, team.ID)
	for _, p := range monitors {
		if slices.ContainsFunc(existing, func(m *earshot.Monitor) bool { return m.Name == p.name }) {
			continue
		}
		m, err := w.Monitors.Add(ctx, c, g.changes(p, team))
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := w.addFilter(ctx, c, m, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func (g Generator) changes(p planned, team *earshot.Team) monitor.Changes {
	start := earshot.DateOf(g.End.UTC()).AddDays(-g.Days)
	zone := "America/New_York"
	ch := monitor.Changes{
		Name: &p.name, Description: &p.description, Team: &team.ID, Timezone: &zone, Start: &start,
		Criteria: monitor.CriteriaChanges{Keywords: &p.keywords, Sources: &p.sources, Languages: &earshot.Choice{Values: p.languages}},
	}
	if p.kind != "" {
		ch.Type = &p.kind
	}
	if p.kind == earshot.Social {
		ch.Account = &p.account
	}
	if p.hashtags != nil {
		ch.TargetHashtags = &p.hashtags
	}
	if p.categories != nil {
		list := make([]monitor.CategoryChange, len(p.categories))
		for i := range p.categories {
			list[i].Name = &p.categories[i]
		}
		ch.Categories = &list
	}
	return ch
}

func (w World) addFilter(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, p planned) error {
	if p.filter == (plannedFilter{}) {
		return nil
	}
	_, err := w.Monitors.AddFilter(ctx, c, m.ID, monitor.FilterChanges{
		Name:     &p.filter.name,
		Criteria: monitor.CriteriaChanges{Keywords: &p.filter.keywords},
	})
	return err
}

func (g Generator) addFigures(ctx context.Context, w World, m *earshot.Monitor) error {
	if m.Type != earshot.Social {
		return nil
	}
	name := m.Account.Handle
	if m.Account.Network == earshot.Facebook {
		name = m.Account.PageID
	}
	return w.Content.AddSnapshots(ctx, m, g.Snapshots(name))
}
