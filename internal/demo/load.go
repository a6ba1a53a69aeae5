package demo

import (
	"cmp"
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
	"earshot/internal/model/training"
	"earshot/internal/monitor"
	"earshot/internal/source"
	"earshot/internal/state/journal"
	"earshot/internal/stream"
	"earshot/internal/workspace/dashboard"
)

// The users of the demo.
const (
	Username = "demo" // administrator with all permissions
	Password = "earshot-demo"

	// The analyst of an agency, which has its own team and sees nothing of the brand's, may use the API,
	// but neither upload content nor create streams.
	agencyTeam     = "Agency"
	agencyUsername = "agency"
	agencyPassword = "earshot-agency"

	// A colleague uses only the web app.
	colleagueUsername = "colleague"
	colleaguePassword = "earshot-colleague"

	lastUsername = colleagueUsername
)

// A World is the service that the demo is loaded into.
type World struct {
	Accounts *account.Service
	Monitors *monitor.Service
	Content  *content.Service
	Training *training.Service
	Streams  *stream.Service
	Journal  journal.Journal

	// Dashboards gets a dashboard. It may be nil.
	Dashboards *dashboard.Service

	// Sources gets live sources, whose kinds must come from [Kinds], and a monitor for their posts.
	// Without it, the demo has none of them.
	Sources *source.Service

	// Progress is called periodically while posts are generated, with the time up to which they are
	// in the journal. It may be nil.
	Progress func(through time.Time)
}

// Load adds users, teams, monitors, account snapshots and posts, and returns the monitors. It keeps
// existing objects and completes a load that was interrupted.
func (g Generator) Load(ctx context.Context, w World) ([]*earshot.Monitor, error) {
	complete, err := w.isLoaded()
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
	if last > 0 { // after an interruption, generate the same posts again to replace the existing ones
		g.End = list[0].Created.Truncate(time.Hour)
	}
	for _, m := range list {
		if m.Type != earshot.Social {
			continue
		}
		if err := w.Content.AddSnapshots(ctx, m, g.Snapshots(cmp.Or(m.Account.Handle, m.Account.PageID))); err != nil {
			return nil, fmt.Errorf("demo snapshots: %w", err)
		}
	}
	sets := newTrainingSets()
	live := sync.OnceValue(func() error { return w.addStream(ctx, c, team) })
	if err := g.addPosts(ctx, w, sets, live); err != nil {
		return nil, fmt.Errorf("demo posts: %w", err)
	}
	for _, m := range list {
		if m.Name == Reasons {
			if err := w.train(ctx, c, m, sets); err != nil {
				return nil, fmt.Errorf("demo training: %w", err)
			}
		}
	}
	if w.Sources != nil {
		if err := w.addSources(ctx, c, team); err != nil {
			return nil, fmt.Errorf("demo sources: %w", err)
		}
	}
	if w.Dashboards != nil {
		if err := w.addDashboard(ctx, c, team); err != nil {
			return nil, fmt.Errorf("demo dashboard: %w", err)
		}
	}
	if err := w.addOthers(ctx, c, team); err != nil {
		return nil, fmt.Errorf("demo users: %w", err)
	}
	return w.Monitors.List(c, team.ID), nil
}

// isLoaded reports whether the demo is complete, which is the case once its last user exists. It
// returns an error if there are users but the demo's main user is not among them: the directory
// then belongs to a real service, and the demo must not add users with public passwords to it.
func (w World) isLoaded() (complete bool, err error) {
	users := map[string]bool{}
	for _, u := range w.Accounts.ListUsers() {
		users[u.Username] = true
	}
	if len(users) > 0 && !users[Username] {
		return false, errors.New("the data directory contains data that does not belong to the demo; choose another with --data")
	}
	return users[lastUsername], nil
}

// addOwner adds the main user and team.
func (w World) addOwner(ctx context.Context) (*earshot.Caller, *earshot.Team, error) {
	u, err := w.user(ctx, account.NewUser{Username: Username, Password: Password, FirstName: "Demo", LastName: "User",
		APIAccess: true, Permissions: earshot.Permissions})
	if err != nil {
		return nil, nil, err
	}
	team, err := w.team(ctx, u, "Demo")
	return earshot.NewCaller(u), team, err
}

// addOthers adds the agency and the colleague. It adds lastUsername last, so that user exists only once
// everything else does.
func (w World) addOthers(ctx context.Context, c *earshot.Caller, team *earshot.Team) error {
	owner, err := w.Accounts.FindUser(c.User)
	if err != nil {
		return err
	}
	agency, err := w.team(ctx, owner, agencyTeam)
	if err != nil {
		return err
	}
	for _, n := range []account.NewUser{
		{Username: agencyUsername, Password: agencyPassword, FirstName: "Agency", LastName: "Analyst", Email: "analyst@agency.example",
			APIAccess: true, Teams: []earshot.TeamID{agency.ID}},
		{Username: colleagueUsername, Password: colleaguePassword, FirstName: "Web", LastName: "Colleague", Email: "colleague@morvessa.example",
			Teams: []earshot.TeamID{team.ID}},
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

// addPosts appends all posts and labels some for training. It calls live before the posts of the
// last day.
func (g Generator) addPosts(ctx context.Context, w World, sets []trainingSet, live func() error) error {
	lastDay := g.End.Add(-24 * time.Hour)
	for _, all := range []iter.Seq[earshot.Post]{g.Posts(), g.Updates()} {
		for posts := range chunks(all, content.MaxItems) {
			if last := posts[len(posts)-1]; !last.Time.Before(lastDay) {
				if err := live(); err != nil {
					return fmt.Errorf("stream: %w", err)
				}
			}
			for i := range posts {
				label(sets, &posts[i])
			}
			if _, err := w.Journal.Append(ctx, journal.Entry{Posts: posts}); err != nil {
				return err
			}
			if w.Progress != nil {
				w.Progress(posts[len(posts)-1].Time)
			}
		}
	}
	return nil
}

// chunks splits a sequence into slices of n posts. The last one may be shorter.
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

// addStream adds the stream unless it exists.
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
