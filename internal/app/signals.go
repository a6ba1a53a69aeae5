package app

import (
	"context"
	"strings"
	"time"

	"earshot"
	"earshot/internal/filter"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/signal"
	"earshot/internal/state/catalog"
)

// waitCaughtUp waits until the journal is processed. It reports whether ctx is still valid.
func (a *App) waitCaughtUp(ctx context.Context) bool {
	for a.catchUp(ctx, false, func(int64) {}) != nil {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Second):
		}
	}
	return ctx.Err() == nil
}

// onBehalfOf returns a caller who sees what members of a team see. Rules and reports belong to a team,
// and outlive the people who made them.
func onBehalfOf(team earshot.TeamID) *earshot.Caller {
	return earshot.NewCaller(&earshot.User{Teams: []earshot.TeamID{team}})
}

// findPosts returns a monitor, or a filter presented as a monitor, and what a filter text selects of its
// posts.
func (a *App) findPosts(m *earshot.Monitor, text string) (*earshot.Monitor, *filter.Refinement, error) {
	caller := onBehalfOf(m.Team)
	found, err := a.Monitors.Find(caller, m.ID)
	if err != nil {
		return nil, nil, err
	}
	return found, a.filters.Refinement(caller, found, text), nil
}

// selectPosts implements Select of [signal.Service].
func (a *App) selectPosts(ctx context.Context, m *earshot.Monitor, filter string, use func(poststore.Selection) error) error {
	found, refinement, err := a.findPosts(m, filter)
	if err != nil {
		return err
	}
	return a.Insight.WithCategorization(ctx, found, func(c insight.Categorization) error {
		sel, err := refinement.Selection(c)
		if err != nil {
			return err
		}
		sel.Set = poststore.MonitorSet(m.ID)
		return use(sel)
	})
}

// signalGaps implements Gaps of [signal.Service].
func (a *App) signalGaps(m *earshot.Monitor, from, to time.Time) (gaps []catalog.Gap) {
	for _, g := range a.Sources.Gaps(m, from, to) {
		gaps = append(gaps, catalog.Gap(g.Gap))
	}
	return gaps
}

// signalTopics implements Topics of [signal.Service]. Topics are those of whole days, and of posts
// whose words may leave the installation: what signals say is sent to people outside, and the words of
// a few posts would reveal their texts.
func (a *App) signalTopics(ctx context.Context, m *earshot.Monitor, from, to time.Time) (list []signal.Topic, err error) {
	loc := m.Location()
	days := earshot.Days{Start: earshot.DateOf(from.In(loc)), End: earshot.DateOf(to.In(loc)).AddDays(1)}
	found, refinement, err := a.findPosts(m, filter.Without("", a.config.RestrictedSources))
	if err != nil {
		return nil, err
	}
	report, err := a.Insight.ReportTopics(ctx, found, insight.ReportRequest{Days: days, Filter: refinement.Key(), Refine: refinement.Selection}, maxSignalTopics)
	if err != nil {
		return nil, err
	}
	for _, t := range report.Topics {
		list = append(list, signal.Topic{Name: t.Name(), Filter: filter.Keywords.Is(t.Query)})
	}
	return list, nil
}

// quotePost implements Quote of [signal.Service]. Posts of restricted sources are quoted without their
// text, author and time.
func (a *App) quotePost(p *earshot.Post) earshot.MessagePost {
	q := earshot.MessagePost{Key: p.Key(), Source: string(p.Source), URL: p.URL}
	if !a.views.IsRestricted(p.Source) {
		q.Author, q.Time = p.Author, p.Time
		q.Text = earshot.Clip(strings.TrimSpace(p.Title+"\n"+p.Contents), maxQuote)
	}
	return q
}

// Maximum numbers of topics that are compared with the past, and of characters of a quoted post.
const (
	maxSignalTopics = 10
	maxQuote        = 500
)

// Maximum numbers of what a signal keeps of an explanation.
const (
	signalStories = 3
	signalWords   = 10
)

// explainSignal implements Explain of [signal.Service]. Posts of restricted sources count in a signal,
// but not in its explanation.
func (a *App) explainSignal(ctx context.Context, m *earshot.Monitor, from, to time.Time, text string) (*earshot.SignalExplanation, error) {
	found, refinement, err := a.findPosts(m, filter.Without(text, a.config.RestrictedSources))
	if err != nil {
		return nil, err
	}
	e, err := a.Insight.Explain(ctx, found, insight.ExplainRequest{From: from, To: to, Filter: refinement.Key(), Refine: refinement.Selection})
	if err != nil {
		return nil, err
	}
	return summarize(e), nil
}

// summarize returns what a signal keeps of an explanation: no texts of posts, only their keys.
func summarize(e *insight.Explanation) *earshot.SignalExplanation {
	s := &earshot.SignalExplanation{From: e.From, To: e.To, Cause: string(e.Cause), Explained: e.Explained}
	for _, story := range e.Stories[:min(len(e.Stories), signalStories)] {
		kept := earshot.SignalStory{Name: story.Name(), Terms: story.Terms, Filter: filter.Keywords.Is(story.Query), Posts: story.Posts, Share: story.Share}
		if len(story.Links) > 0 {
			kept.Link = story.Links[0].Name
		}
		s.Stories = append(s.Stories, kept)
		for _, p := range []*earshot.Post{story.Earliest, story.Top} {
			if p != nil {
				s.Posts = append(s.Posts, p.Key())
			}
		}
	}
	for _, w := range e.Words[:min(len(e.Words), signalWords)] {
		s.Words = append(s.Words, w.Name)
	}
	s.Sentence = e.Sentence()
	return s
}
