package memory

import (
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// An oracle is a post store that is even simpler than the memory store: one list and loops over all
// of it. It implements itself what the memory store leaves to enginekit.
type oracle struct {
	mu          sync.Mutex
	position    earshot.Position
	posts       []poststore.MatchedPost
	arrived     map[earshot.PostKey]earshot.Position
	snapshots   []snapshotOf
	generations map[poststore.SetID]int64
	changes     map[poststore.SetID][]poststore.CounterChange
	events      []event
}

type snapshotOf struct {
	monitor earshot.MonitorID
	earshot.Snapshot
}

func (o *oracle) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	return o.write(ctx, at, func() {
		for i, m := range posts {
			if slices.ContainsFunc(posts[i+1:], func(later poststore.MatchedPost) bool { return later.Post.Key() == m.Post.Key() }) {
				continue
			}
			o.compare(&m)
			o.drop(func(p *earshot.Post) bool { return p.Key() == m.Post.Key() })
			o.posts = append(o.posts, poststore.MatchedPost{Post: clonePost(&m.Post), Sets: slices.Clone(m.Sets)})
			if o.arrived == nil {
				o.arrived = map[earshot.PostKey]earshot.Position{}
			}
			o.arrived[m.Post.Key()] = at
			o.note(&m.Post, m.Sets...)
		}
	})
}

// compare records how the counters of a new version differ. A tracked post inherits counters that
// it does not state.
func (o *oracle) compare(m *poststore.MatchedPost) {
	for _, old := range o.posts {
		if old.Post.Key() != m.Post.Key() {
			continue
		}
		came := m.Received
		if came.IsZero() {
			came = time.Now()
		}
		ch := poststore.CounterChange{Time: quarter(came), Posted: quarter(m.Post.Time)}
		for _, f := range []struct {
			old earshot.Count
			new *earshot.Count
			to  *int64
		}{{old.Post.Likes, &m.Post.Likes, &ch.Likes}, {old.Post.Shares, &m.Post.Shares, &ch.Shares}, {old.Post.Comments, &m.Post.Comments, &ch.Comments}} {
			if n, stated := f.new.Value(); stated {
				*f.to = n - f.old.Int()
			} else if len(m.Tracked) > 0 {
				*f.new = f.old
			}
		}
		for _, id := range m.Tracked {
			if slices.Contains(old.Sets, id) && ch.Likes|ch.Shares|ch.Comments != 0 {
				if o.changes == nil {
					o.changes = map[poststore.SetID][]poststore.CounterChange{}
				}
				o.changes[id] = append(o.changes[id], ch)
			}
		}
	}
}

// quarter returns the start of the quarter hour that contains t.
func quarter(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute()/15*15, 0, 0, time.UTC)
}

func (o *oracle) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	return o.write(ctx, at, func() {
		o.drop(func(p *earshot.Post) bool {
			lists := len(d.GUIDs) + len(d.URLs) + len(d.Pages)
			if len(d.Accounts) > 0 {
				return lists == 0 && (d.ContentSource == 0 || d.Source == "") &&
					(d.ContentSource == 0 && d.Source == "" || p.ContentSource == d.ContentSource) && (d.Source == "" || p.Source == d.Source) &&
					(d.Batch == "" || p.Batch == d.Batch) && (d.Before.IsZero() || p.Time.Before(d.Before)) && isAccount(p, d.Accounts)
			}
			switch {
			case d.ContentSource == 0 && d.Source == "" && d.Batch == "", d.ContentSource == 0 && d.Source != "" && lists == 0:
				return false
			case p.ContentSource != d.ContentSource, d.Source != "" && p.Source != d.Source, d.Batch != "" && p.Batch != d.Batch:
				return false
			case !d.Before.IsZero() && !p.Time.Before(d.Before):
				return false
			case lists == 0:
				return true
			}
			return slices.Contains(d.GUIDs, p.GUID) || p.PageID != "" && slices.Contains(d.Pages, p.PageID) ||
				d.ContentSource != 0 && p.URL != "" && slices.Contains(d.URLs, p.URL)
		})
	})
}

func (o *oracle) AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, s []earshot.Snapshot) error {
	return o.write(ctx, at, func() {
		for _, snap := range s {
			o.snapshots = slices.DeleteFunc(o.snapshots, func(old snapshotOf) bool { return old.monitor == m && old.Date == snap.Date })
			o.snapshots = append(o.snapshots, snapshotOf{m, snap})
		}
	})
}

func (o *oracle) write(ctx context.Context, at earshot.Position, change func()) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if ctx.Err() == nil && at > o.position {
		change()
		o.position = at
	}
	return ctx.Err()
}

func (o *oracle) drop(unwanted func(*earshot.Post) bool) {
	o.posts = slices.DeleteFunc(o.posts, func(m poststore.MatchedPost) bool {
		if !unwanted(&m.Post) {
			return false
		}
		o.note(&m.Post, m.Sets...)
		return true
	})
}

func (o *oracle) Position(context.Context) (earshot.Position, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.position, nil
}

// Rematch works on copies of the posts that exist when it is called.
func (o *oracle) Rematch(ctx context.Context, r poststore.Rematch) error {
	n, upTo := o.size()
	if r.Progress != nil {
		r.Progress(n, n)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	posts := slices.Clone(o.posts)
	for i := range posts {
		m := &posts[i]
		if m.Sets = slices.Clone(m.Sets); o.arrived[m.Post.Key()] > upTo {
			continue
		}
		for id, rule := range r.Rules {
			if !m.Post.Time.Before(r.From) {
				set(m, id, o.arrived[m.Post.Key()] <= rule.UpTo && rule.Where != nil && rule.Where.Match(query.NewDocument(&m.Post)))
			}
		}
		for _, sorting := range r.Categorizations {
			in := func(id poststore.SetID) bool { return slices.Contains(m.Sets, id) }
			if in(sorting.Posts) && slices.ContainsFunc(sorting.Retained, in) {
				continue
			}
			var told []poststore.SetID
			if post := clonePost(&m.Post); slices.Contains(m.Sets, sorting.Posts) && sorting.Categorize != nil {
				told = sorting.Categorize(nil, &post)
			}
			for _, id := range sorting.Sets {
				set(m, id, slices.Contains(told, id))
			}
			for _, id := range told {
				if !slices.Contains(sorting.Sets, id) {
					return errors.New("not a set of the categorization")
				}
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, m := range posts {
		for id := range r.Rules {
			if slices.Contains(m.Sets, id) != slices.Contains(o.posts[i].Sets, id) {
				o.note(&m.Post, id)
			}
		}
	}
	o.posts = posts
	for id, rule := range r.Rules {
		if o.generations == nil {
			o.generations = map[poststore.SetID]int64{}
		}
		if o.generations[id] = rule.Generation; rule.Generation == 0 {
			delete(o.generations, id)
		}
		if r.From.IsZero() && rule == (poststore.Rule{}) {
			delete(o.changes, id)
			o.events = slices.DeleteFunc(o.events, func(e event) bool { return e.monitor == id })
		}
	}
	return nil
}

// size returns the number of posts and the position.
func (o *oracle) size() (int64, earshot.Position) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return int64(len(o.posts)), o.position
}

// set adds a post to a set or removes it.
func set(m *poststore.MatchedPost, id poststore.SetID, in bool) {
	m.Sets = slices.DeleteFunc(m.Sets, func(other poststore.SetID) bool { return other == id })
	if in {
		m.Sets = append(m.Sets, id)
	}
}

// Reinfer processes one post at a time, among those that exist when it is called.
func (o *oracle) Reinfer(ctx context.Context, r poststore.Reinfer) error {
	var older []earshot.Post
	for _, p := range o.selected(poststore.Selection{}) {
		if p.InferredBy < r.Models {
			older = append(older, p)
		}
	}
	for i, p := range older {
		if ctx.Err() != nil {
			break
		}
		posts := []earshot.Post{p}
		if err := enginekit.Infer(&r, posts); err != nil {
			return err
		}
		o.exchange(p, posts[0])
		if r.Progress != nil {
			r.Progress(int64(i+1), int64(len(older)))
		}
	}
	return ctx.Err()
}

// exchange replaces a post with another if it still exists.
func (o *oracle) exchange(old, revised earshot.Post) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.posts {
		if reflect.DeepEqual(o.posts[i].Post, old) {
			o.posts[i].Post = clonePost(&revised)
			o.note(&revised, o.posts[i].Sets...)
		}
	}
}

func (o *oracle) Generations(context.Context) (map[poststore.SetID]int64, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.generations), nil
}

func (o *oracle) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	all := make([][]poststore.Row, len(ts))
	frozen := o.copied()
	for i, t := range ts {
		rows, err := frozen.tally(ctx, of, t)
		if err != nil {
			return nil, err
		}
		all[i] = rows
	}
	return all, nil
}

// copied returns a copy of the oracle's current state.
func (o *oracle) copied() *oracle {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := &oracle{posts: slices.Clone(o.posts), arrived: maps.Clone(o.arrived)}
	for i := range c.posts {
		c.posts[i].Sets = slices.Clone(c.posts[i].Sets)
	}
	return c
}

func (o *oracle) Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	if limit < 0 {
		return nil, 0, errors.New("negative limit")
	}
	posts := o.selected(of)
	slices.SortFunc(posts, func(a, b earshot.Post) int { return earshot.ComparePosts(&a, &b) })
	return posts[:min(limit, len(posts))], int64(len(posts)), ctx.Err()
}

func (o *oracle) Snapshots(ctx context.Context, m earshot.MonitorID, days earshot.Days) ([]earshot.Snapshot, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []earshot.Snapshot
	for day := days.Start; day.Before(days.End); day = day.AddDays(1) {
		for _, s := range o.snapshots {
			if s.monitor == m && s.Date == day {
				found = append(found, s.Snapshot)
			}
		}
	}
	return found, nil
}

func (o *oracle) Stats(context.Context) (poststore.Stats, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return poststore.Stats{Engine: "oracle", Posts: int64(len(o.posts))}, nil
}

func (o *oracle) selected(of poststore.Selection) []earshot.Post {
	o.mu.Lock()
	defer o.mu.Unlock()
	var posts []earshot.Post
	for _, m := range o.posts {
		if m = corrected(of.Corrections, m); o.picks(of, m) {
			posts = append(posts, clonePost(&m.Post))
		}
	}
	return posts
}

// corrected returns a post with its correction, which it finds by comparing all of them.
func corrected(all *poststore.Corrections, m poststore.MatchedPost) poststore.MatchedPost {
	if all == nil {
		return m
	}
	own := poststore.SumOf(m.Post.Key())
	for sum, c := range all.All() {
		if sum != own {
			continue
		}
		if c.Sentiment > 0 {
			m.Post.Sentiment = earshot.Sentiment{}
			m.Post.Sentiment[c.Sentiment-1] = 100
		}
		if c.Emotion > 0 {
			m.Post.Emotion = earshot.Emotion{}
			m.Post.Emotion[c.Emotion-1] = 100
		}
		if c.Category == 0 {
			continue
		}
		sets := []poststore.SetID{poststore.CategorySet(c.Category, 0), poststore.CategorySet(c.Category, 1), poststore.CorrectedSet(c.Category)}
		for _, id := range m.Sets {
			assigned := false
			for category := range earshot.CategoryID(9) {
				assigned = assigned || id == poststore.CategorySet(category, 0) || id == poststore.CategorySet(category, 1)
			}
			if !assigned {
				sets = append(sets, id)
			}
		}
		m.Sets = sets
	}
	return m
}

func (o *oracle) picks(of poststore.Selection, m poststore.MatchedPost) bool {
	p := &m.Post
	switch {
	case o.arrived[m.Post.Key()] <= of.After:
	case slices.ContainsFunc(of.Except, func(other poststore.Selection) bool { return o.picks(other, m) }):
	case slices.ContainsFunc(of.Ranges, func(r poststore.Range) bool { return !isWithin(p, r) }):
	case len(of.Handles) > 0 && !slices.ContainsFunc(of.Handles, func(name string) bool {
		return p.Handle() != "" && strings.EqualFold(strings.TrimPrefix(name, "@"), p.Handle())
	}):
	case of.Set != 0 && !slices.Contains(m.Sets, of.Set):
	case of.Keys != nil && !slices.Contains(slices.Collect(of.Keys.Sums()), poststore.SumOf(p.Key())):
	case !of.From.IsZero() && p.Time.Before(of.From):
	case !of.To.IsZero() && !p.Time.Before(of.To):
	case of.FromPost != nil && earshot.ComparePosts(p, of.FromPost) < 0:
	case len(of.Sources) > 0 && !slices.Contains(of.Sources, p.Source):
	case of.ContentSource != 0 && p.ContentSource != of.ContentSource:
	case !of.Categories.IsZero() && !feels(*p, of.Categories) && !slices.ContainsFunc(m.Sets, func(id poststore.SetID) bool { return slices.Contains(of.Categories.Sets, id) }):
		return false
	case of.Parents != nil && (p.ParentGUID == "" || !slices.Contains(of.Parents, p.ParentGUID)):
	case of.Engagement != "" && of.Engagement != p.Engagement:
	case of.Geotagged && !p.Geotagged:
	case slices.ContainsFunc(of.Having, func(h poststore.Having) bool { return !hasOneOf(*p, h) }):
	case of.Where != nil && !of.Where.Match(query.NewDocument(p)):
	case len(of.Sites) > 0 && !slices.ContainsFunc(of.Sites, func(site string) bool {
		return site != "" && strings.HasSuffix("."+strings.ToLower(p.Site), "."+strings.ToLower(site))
	}):
	case len(of.Authors) > 0 && !slices.ContainsFunc(of.Authors, func(author string) bool {
		names := []string{p.Author, p.AuthorUsername, strings.Split(p.Author, " (")[0]}
		return author != "" && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, author) })
	}):
	case len(of.Accounts) > 0 && !isAccount(p, of.Accounts):
	default:
		return true
	}
	return false
}

// isWithin reports whether the sum of the stated numbers is in a range.
func isWithin(p *earshot.Post, r poststore.Range) bool {
	numbers := map[poststore.Measure]earshot.Count{
		poststore.Impressions: p.Followers, poststore.Likes: p.Likes, poststore.Shares: p.Shares, poststore.Comments: p.Comments,
		poststore.Replies: p.Replies, poststore.Retweets: p.Retweets, poststore.Views: p.Views,
	}
	sum, stated := int64(0), 0
	for _, m := range r.Of {
		if n, ok := numbers[m].Value(); ok {
			if sum += n; sum < 0 {
				sum = math.MaxInt64
			}
			stated++
		}
	}
	return stated > 0 && sum >= r.Min && sum <= r.Max
}

// isAccount reports whether one of the names is the author.
func isAccount(p *earshot.Post, accounts []string) bool {
	page := p.PageID
	if p.Source == earshot.Facebook {
		page = ""
	}
	for _, name := range []string{p.Author, p.AuthorUsername, strings.Split(p.Author, " (")[0], p.AuthorProfileID, page} {
		if name != "" && slices.ContainsFunc(accounts, func(a string) bool {
			return strings.EqualFold(strings.TrimPrefix(a, "@"), strings.TrimPrefix(name, "@"))
		}) {
			return true
		}
	}
	return false
}

func feels(p earshot.Post, f poststore.CategoryFilter) bool {
	for _, name := range largestOf(p.Sentiment[:], earshot.BasicCategories) {
		if f.Sentiments&(1<<slices.Index(earshot.BasicCategories, name)) != 0 {
			return true
		}
	}
	for _, name := range largestOf(p.Emotion[:], earshot.BasicEmotions) {
		if f.Emotions&(1<<slices.Index(earshot.BasicEmotions, name)) != 0 {
			return true
		}
	}
	return false
}
