package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/source"
)

// roleSetting is the setting that says what a source acts out. Only the demo has it.
const roleSetting = source.DemoSetting

// The roles of the demo's sources.
const (
	roleLive    = "live"    // delivers posts as they are written
	roleGap     = "gap"     // the same, after an outage three days ago
	roleBehind  = "behind"  // catches up with the last hours first
	roleRevoked = "revoked" // has delivered some posts, but its access token was revoked
)

// Kinds returns kinds whose connectors make up posts instead of connecting to a network. Kinds that
// do not need one, such as folders, stay as they are.
func Kinds(kinds []connector.Kind) []connector.Kind {
	acted := slices.Clone(kinds)
	for i := range acted {
		k := &acted[i]
		if k.Receives || k.Sources == nil || len(k.Sources(k.WithDefaults(nil))) == 0 {
			continue
		}
		networks := k.Sources
		k.Settings = append(slices.Clone(k.Settings), connector.Setting{
			Name: roleSetting, Title: "Role in the demo", Help: "The demo makes up the posts of this source and does not connect to the network.",
			Options: []string{roleLive, roleGap, roleBehind, roleRevoked}, Default: roleLive, Advanced: true,
		})
		k.New = func(e connector.Env) connector.Connector {
			return &actor{Env: e, role: e.Settings[roleSetting], networks: networks(e.Settings)}
		}
		if k.Rules != nil {
			k.Rules = func(context.Context, connector.Env) (connector.Rules, error) { return demoRules, nil }
		}
	}
	return acted
}

// A sourceSpec describes a live source of the demo.
type sourceSpec struct {
	name, kind string
	settings   map[string]string
	secret     string
}

var liveSources = []sourceSpec{
	{name: "Bluesky", kind: "bluesky", settings: map[string]string{roleSetting: roleGap}},
	{name: "Trade press", kind: "feed", settings: map[string]string{"feeds": "https://www.dailyledger.example/feed\nhttps://www.tradepost.example/feed"}},
	{name: "mastodon.example", kind: "mastodon", secret: "revoked",
		settings: map[string]string{"url": "https://mastodon.example", "hashtags": "food, technology", "accepted_rules": demoRules.Version, roleSetting: roleRevoked}},
	{name: "Hacker News", kind: "hackernews", settings: map[string]string{roleSetting: roleBehind}},
}

// addSources adds the live sources that are missing and whose kinds the service has.
func (w World) addSources(ctx context.Context, c *earshot.Caller, team *earshot.Team) error {
	existing := w.Sources.List(c, team.ID)
	for _, p := range liveSources {
		if slices.ContainsFunc(existing, func(i source.Info) bool { return i.Name == p.name }) {
			continue
		}
		if !slices.ContainsFunc(w.Sources.Kinds, func(k connector.Kind) bool { return k.Name == p.kind }) {
			continue
		}
		src := earshot.LiveSource{Team: team.ID, Name: p.name, Kind: p.kind, Settings: p.settings}
		if _, err := w.Sources.Add(ctx, c, src, p.secret); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// demoRules are the rules of all Mastodon servers in the demo.
var demoRules = connector.Rules{
	Items:   []string{"Be kind to each other.", "Respect when people delete their posts.", "Do not use posts to train models without asking."},
	Version: "demo-1",
}

// An actor is a connector that makes up posts about everyday life, a few per minute. They mention
// none of the brands, so they change no number of the monitors that tell the story.
type actor struct {
	connector.Env
	role     string
	networks []earshot.Source
}

const (
	// An actor writes steadyRate posts per minute, and more in the first minutes, so that its chart
	// soon has a shape.
	steadyRate = 20.0
	firstRate  = 120.0
	firstTime  = 4 * time.Minute

	// An actor that is behind has catchUpLag to catch up with, which takes catchUpTime.
	catchUpLag  = 5 * time.Hour
	catchUpTime = 25 * time.Minute

	deleteEvery = 20 // posts, of which one is deleted
)

// Run implements [connector.Connector].
func (a *actor) Run(ctx context.Context, cursor string, sink connector.Sink) error {
	begin := a.Now()
	s := &scene{actor: a, writer: a.writer(uint64(begin.UnixNano())), sink: sink}
	sink.Report(connector.State{Phase: connector.Starting})
	switch {
	case a.role == roleRevoked:
		if cursor == "" {
			if err := s.deliver(ctx, 200, 30*time.Hour); err != nil {
				return err
			}
		}
		return fmt.Errorf("%w: the server no longer accepts the access token; create a new one in your account there, then edit this source", connector.ErrAttention)
	case a.role == roleGap && cursor == "":
		err := sink.Gap(ctx, connector.Gap{From: begin.Add(-80 * time.Hour), To: begin.Add(-71 * time.Hour), Reason: "the network could not be reached"})
		if err != nil {
			return err
		}
	}
	for {
		passed := a.Now().Sub(begin)
		state, lag := connector.State{Phase: connector.Live}, time.Duration(0)
		if a.role == roleBehind && passed < catchUpTime {
			lag = catchUpLag - time.Duration(float64(catchUpLag)*passed.Seconds()/catchUpTime.Seconds())
			state = connector.State{Phase: connector.CatchingUp, Lag: lag}
		}
		sink.Report(state)
		perSecond := a.rate(passed) * (0.7 + 0.6*s.r.Float64()) / 60
		count := int(perSecond)
		if s.r.Float64() < perSecond-float64(count) {
			count++
		}
		if err := s.deliver(ctx, count, lag); err != nil {
			return err
		}
		if err := a.Wait(ctx, time.Second); err != nil {
			return err
		}
	}
}

// rate returns the number of posts per minute, some time after the start. Sources of which more is
// stored, because monitors match more or it keeps everything, write fewer.
func (a *actor) rate(passed time.Duration) float64 {
	rate := steadyRate
	if passed < firstTime {
		rate += firstRate * (1 - passed.Seconds()/firstTime.Seconds())
	}
	if a.Source.Keep == earshot.KeepAll || slices.Contains(a.networks, earshot.HackerNews) {
		rate /= 5
	}
	return rate
}

// Sample implements [connector.Connector].
func (a *actor) Sample(_ context.Context, n int) ([]earshot.Post, error) {
	if a.role == roleRevoked {
		return nil, fmt.Errorf("%w: the server does not accept the access token", connector.ErrAttention)
	}
	s := &scene{actor: a, writer: a.writer(uint64(a.Now().UnixNano()))}
	posts := make([]earshot.Post, n)
	for i := range posts {
		posts[i] = s.post(time.Duration(i) * time.Second)
	}
	return posts, nil
}

// cast is the population that all actors share. It is the same as that of the default demo.
var cast = sync.OnceValue(func() *population { return newPopulation(Generator{Seed: 1}.random(populationStream)) })

func (a *actor) writer(seed uint64) *writer {
	r := rand.New(rand.NewPCG(seed, uint64(a.Source.ID)))
	return &writer{r: r, people: cast(), recent: map[earshot.Source]*recentPosts{}, numbers: sequence{r.Int64N(1 << 22)}}
}

// A scene is one run of an actor.
type scene struct {
	*actor
	*writer
	sink      connector.Sink
	written   int
	delivered []earshot.PostKey // candidates for deletion
}

// deliver writes posts that are lag old, and from time to time deletes an earlier one.
func (s *scene) deliver(ctx context.Context, count int, lag time.Duration) error {
	if count == 0 {
		return nil
	}
	b := connector.Batch{Cursor: s.Now().UTC().Format(time.RFC3339)}
	counted := connector.Counters{}
	for i := range count {
		if s.written++; s.written%deleteEvery == 0 && len(s.delivered) > 0 {
			at := s.r.IntN(len(s.delivered))
			gone := s.delivered[at]
			s.delivered = slices.Delete(s.delivered, at, at+1)
			b.Deletions = append(b.Deletions, earshot.Deletion{Source: gone.Source, GUIDs: []string{gone.GUID}})
			counted.Events++
		}
		p := s.post(lag * time.Duration(count-i) / time.Duration(count))
		b.Posts = append(b.Posts, p)
		counted.Events++
		counted.Bytes += int64(len(p.Contents)) + 600
	}
	s.sink.Count(counted)
	b.Posts, b.Selected = s.sink.Select(ctx, b.Posts), true
	for i := range b.Posts {
		s.delivered = append(s.delivered, b.Posts[i].Key())
	}
	if extra := len(s.delivered) - maxRecentPosts; extra > 0 {
		s.delivered = slices.Delete(s.delivered, 0, extra)
	}
	return s.sink.Deliver(ctx, b)
}

// post writes a post of one of the networks that is age old.
func (s *scene) post(age time.Duration) earshot.Post {
	source := pick(s.r, s.networks)
	p := s.write(draft{at: s.Now().Add(-age).UTC(), source: source, by: s.author(source), topic: chatter})
	p.PageID = p.AuthorProfileID
	return p
}

// author picks the author of a post. Authors on Hacker News come from the forums, and write about
// technology.
func (s *scene) author(source earshot.Source) *author {
	if source != earshot.HackerNews {
		return s.people.pick(s.r, source)
	}
	for {
		if a := s.people.pick(s.r, earshot.Forums); a.interest == "technology" {
			return a
		}
	}
}
