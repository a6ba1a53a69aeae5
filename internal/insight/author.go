package insight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// An AuthorQuery selects the posts of an author in several monitors. A post that several of them
// match counts once.
type AuthorQuery struct {
	Name     string         // username, or display name if there is none, ignoring case
	Source   earshot.Source // empty: all sources
	Monitors []*earshot.Monitor
	Days     earshot.Days
	Zone     *time.Location // of the days

	// Restricted lists sources whose texts must not be shown. Hashtags and topics of an author's few
	// posts would reveal them, so these posts do not count there.
	Restricted []earshot.Source
}

// An Author describes the posts of an author.
type Author struct {
	Posts       int64
	Followers   earshot.Count // as of the newest post
	Impressions int64         // followers, added up over all posts
	Engagement  int64         // likes, shares, comments, replies and retweets of all posts
	Oldest      *earshot.Post // nil if there are none
	Newest      *earshot.Post
	ByDay       []AuthorDay
	Monitors    []MonitorCount // most posts first; those without posts are left out
	Sources     []Count
	Languages   []Count
	Hashtags    []Count
	Sentiments  []int64 // in the order of earshot.BasicCategories
	Emotions    []int64 // in the order of earshot.BasicEmotions
	Kinds       []Count // by engagement: POST, RETWEET, REPLY, COMMENT
	Topics      []TopicCount
}

// An AuthorDay has the number of an author's posts on a day, and the number of followers in the last
// of them that states it.
type AuthorDay struct {
	DayCount
	Followers earshot.Count
}

// A MonitorCount is the number of an author's posts in a monitor.
type MonitorCount struct {
	Monitor *earshot.Monitor
	Posts   int64
}

// A TopicCount is a topic of an author and the number of posts about it.
type TopicCount struct {
	Terms []string
	Posts int64
	name  string
}

// Name returns the most typical phrase or hashtag of the topic or, if there is none, its three most
// typical terms.
func (t TopicCount) Name() string { return cmp.Or(t.name, termName(t.Terms)) }

// Limits of an author's lists.
const (
	maxAuthorNames  = 20
	maxAuthorTopics = 8
	followerSample  = 2000 // posts that are read to find the followers of each day
	maxMemoMonitors = 100  // detecting changes of more monitors would take too long
)

// selection returns a selection of the author's posts.
func (q *AuthorQuery) selection() poststore.Selection {
	sel := poststore.Selection{
		From: q.Days.Start.Start(q.Zone), To: q.Days.End.Start(q.Zone),
		Having: []poststore.Having{{By: poststore.ByAuthor, Keys: []string{strings.ToLower(q.Name)}}},
	}
	for _, m := range q.Monitors {
		sel.Categories.Sets = append(sel.Categories.Sets, poststore.MonitorSet(m.ID))
	}
	if q.Source != "" {
		sel.Sources = []earshot.Source{q.Source}
	}
	return sel
}

func (a *Author) size() int { return 16<<10 + 64*len(a.ByDay) + 64*len(a.Monitors) }

// Author describes the posts of an author. The result is cached, so the caller must not modify it.
func (s *Service) Author(ctx context.Context, q AuthorQuery) (*Author, error) {
	if q.Days.Len() > maxDays {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range has more than %d days", maxDays)
	}
	if len(q.Monitors) > maxMemoMonitors {
		return s.author(ctx, q)
	}
	var sels []poststore.Selection
	key := fmt.Sprintf("%q %q %s %s %s %q", strings.ToLower(q.Name), q.Source, q.Days.Start, q.Days.End, q.Zone, q.Restricted)
	for _, m := range q.Monitors {
		sels = append(sels, poststore.Selection{Set: poststore.MonitorSet(m.ID), From: q.Days.Start.Start(q.Zone), To: q.Days.End.Start(q.Zone)})
		key += fmt.Sprintf(" %d %d %q", m.ID, m.Edits, m.Criteria.Keywords)
	}
	return memoizeAll(ctx, s.Store, &s.authors, sels, key, func() (*Author, error) { return s.author(ctx, q) })
}

func (s *Service) author(ctx context.Context, q AuthorQuery) (*Author, error) {
	a := &Author{Sentiments: make([]int64, len(earshot.BasicCategories)), Emotions: make([]int64, len(earshot.BasicEmotions))}
	if len(q.Monitors) == 0 {
		return a, nil
	}
	sel := q.selection()
	sums := append([]poststore.Measure{poststore.Impressions}, enginekit.EngagementMeasures...)
	rows, err := s.Store.Tallies(ctx, sel, []poststore.Tally{
		{Sum: sums}, {By: []poststore.Dim{poststore.ByDay}, Zone: q.Zone}, countBy(poststore.BySource), countBy(poststore.ByLanguage),
		countBy(poststore.BySentiment), countBy(poststore.ByEmotion), countBy(poststore.ByEngagement),
	})
	if err != nil {
		return nil, err
	}
	all := rows[0][0]
	a.Posts, a.Impressions = all.Posts, all.Sums[0]
	for _, n := range all.Sums[1:] {
		a.Engagement = poststore.SaturatingAdd(a.Engagement, n)
	}
	for _, day := range newPreview(q.Days, rows[1]).Days {
		a.ByDay = append(a.ByDay, AuthorDay{DayCount: day})
	}
	a.Sources, a.Languages = countsOf(rows[2]), countsOf(rows[3])
	a.Sentiments, a.Emotions = countsByName(rows[4], earshot.BasicCategories), countsByName(rows[5], earshot.BasicEmotions)
	a.Kinds = countsOf(rows[6])
	if a.Posts == 0 {
		return a, nil
	}
	if err := s.findEnds(ctx, sel, a); err != nil {
		return nil, err
	}
	if err := s.findFollowers(ctx, sel, a.ByDay, q.Zone); err != nil {
		return nil, err
	}
	if a.Monitors, err = s.countMonitors(ctx, sel, q.Monitors); err != nil {
		return nil, err
	}
	sel.Sources = q.shownSources(a.Sources)
	if len(sel.Sources) == 0 || len(a.Monitors) == 0 {
		return a, nil
	}
	hashtags, err := poststore.TallyOne(ctx, s.Store, sel, topBy(poststore.ByHashtag, maxAuthorNames))
	if err != nil {
		return nil, err
	}
	a.Hashtags = countsOf(hashtags)
	a.Topics, err = s.authorTopics(ctx, sel, a.Monitors)
	return a, err
}

// shownSources returns the sources whose texts may be shown.
func (q *AuthorQuery) shownSources(all []Count) (sources []earshot.Source) {
	for _, c := range all {
		if source := earshot.Source(c.Name); !slices.Contains(q.Restricted, source) {
			sources = append(sources, source)
		}
	}
	return sources
}

// findEnds sets the oldest and the newest post.
func (s *Service) findEnds(ctx context.Context, sel poststore.Selection, a *Author) error {
	for _, order := range []poststore.Order{poststore.OldestFirst, poststore.NewestFirst} {
		ranked, err := s.Store.Rank(ctx, sel, poststore.Ranking{Order: order, Limit: 1})
		if err != nil {
			return err
		}
		if len(ranked.Posts) == 0 { // deleted in the meantime
			return nil
		}
		p := &ranked.Posts[0].Post
		if order == poststore.OldestFirst {
			a.Oldest = p
			continue
		}
		a.Followers, a.Newest = p.Followers, p
	}
	return nil
}

// findFollowers sets the followers of each day. Of a very active author, it reads a sample of posts.
func (s *Service) findFollowers(ctx context.Context, sel poststore.Selection, days []AuthorDay, zone *time.Location) error {
	byDate := make(map[earshot.Date]*AuthorDay, len(days))
	for i := range days {
		byDate[days[i].Day] = &days[i]
	}
	stated := map[*AuthorDay]time.Time{} // time of the post that the followers are from
	_, err := s.Store.Sample(ctx, sel, followerSample, func(p *earshot.Post) {
		day := byDate[earshot.DateOf(p.Time.In(zone))]
		n, ok := p.Followers.Value()
		if day == nil || !ok || p.Time.Before(stated[day]) || p.Time.Equal(stated[day]) && n <= day.Followers.Int() {
			return
		}
		stated[day], day.Followers = p.Time, p.Followers
	})
	return err
}

// countMonitors counts the posts of a selection in each monitor.
func (s *Service) countMonitors(ctx context.Context, sel poststore.Selection, monitors []*earshot.Monitor) (list []MonitorCount, err error) {
	for some := range slices.Chunk(monitors, poststore.MaxSets) {
		t := poststore.Tally{By: []poststore.Dim{poststore.BySets}}
		for _, m := range some {
			t.Sets = append(t.Sets, poststore.MonitorSet(m.ID))
		}
		rows, err := poststore.TallyOne(ctx, s.Store, sel, t)
		if err != nil {
			return nil, err
		}
		for i, m := range some {
			c := MonitorCount{Monitor: m}
			for _, row := range rows {
				if row.Key[0][i/8]>>(i%8)&1 != 0 { // the key of BySets is a bitmap
					c.Posts += row.Posts
				}
			}
			if c.Posts > 0 {
				list = append(list, c)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b MonitorCount) int { return cmp.Compare(b.Posts, a.Posts) })
	return list, nil
}

// authorTopics finds the topics of posts, without the words that monitors search for.
func (s *Service) authorTopics(ctx context.Context, sel poststore.Selection, monitors []MonitorCount) (topics []TopicCount, err error) {
	var keywords []string
	for _, c := range monitors {
		keywords = append(keywords, c.Monitor.Criteria.Keywords)
	}
	m := *monitors[0].Monitor
	m.Criteria.Keywords = strings.Join(keywords, " ")
	found, err := s.findTopics(ctx, &m, sel, maxAuthorTopics)
	if err != nil {
		return nil, err
	}
	for _, terms := range found {
		about, err := withKeywords(&m, sel, topicQuery(terms))
		if err != nil {
			return nil, err
		}
		n, err := s.countSelected(ctx, about)
		if err != nil {
			return nil, err
		}
		name, spelled, err := s.nameTopic(ctx, &m, about, terms)
		if err != nil {
			return nil, err
		}
		topics = append(topics, TopicCount{spelled, n, name})
	}
	slices.SortStableFunc(topics, func(a, b TopicCount) int {
		return cmp.Or(cmp.Compare(b.Posts, a.Posts), strings.Compare(a.Name(), b.Name()))
	})
	return topics, nil
}

// An AuthorPost is a post of an author and the monitors that match it, in the order of the query.
type AuthorPost struct {
	poststore.RankedPost
	Monitors []*earshot.Monitor
}

// AuthorPosts returns a page of an author's posts, and their total number.
func (s *Service) AuthorPosts(ctx context.Context, q AuthorQuery, r poststore.Ranking) (posts []AuthorPost, total int64, err error) {
	if len(q.Monitors) == 0 {
		return nil, 0, nil
	}
	sel := q.selection()
	ranked, err := s.Store.Rank(ctx, sel, r)
	if err != nil || len(ranked.Posts) == 0 {
		return nil, ranked.Total, err
	}
	index := map[earshot.PostKey]int{}
	for i, p := range ranked.Posts {
		posts = append(posts, AuthorPost{RankedPost: p})
		index[p.Post.Key()] = i
	}
	found, err := s.countMonitors(ctx, sel, q.Monitors)
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(found, func(a, b MonitorCount) int {
		return slices.Index(q.Monitors, a.Monitor) - slices.Index(q.Monitors, b.Monitor)
	})
	for _, c := range found {
		// The posts of the page that are in the monitor come first among the posts of the monitor.
		sel.Set, sel.Categories = poststore.MonitorSet(c.Monitor.ID), poststore.CategoryFilter{}
		own, err := s.Store.Rank(ctx, sel, r)
		if err != nil {
			return nil, 0, err
		}
		for _, p := range own.Posts {
			if i, ok := index[p.Post.Key()]; ok {
				posts[i].Monitors = append(posts[i].Monitors, c.Monitor)
			}
		}
	}
	// A post that all monitors dropped in the meantime has none.
	posts = slices.DeleteFunc(posts, func(p AuthorPost) bool { return len(p.Monitors) == 0 })
	return posts, ranked.Total, nil
}

// AuthorPosition returns the position of an author's post with a score. The error is of kind
// [earshot.NotFound] if there is no such post anymore.
func (s *Service) AuthorPosition(ctx context.Context, q AuthorQuery, key earshot.PostKey, score int64) (poststore.RankPosition, error) {
	found, err := s.Store.Find(ctx, []earshot.PostKey{key})
	if err != nil {
		return poststore.RankPosition{}, err
	}
	for i := range found {
		sel := q.selection()
		sel.From, sel.To, sel.FromPost = found[i].Time, found[i].Time.Add(1), &found[i]
		first, _, err := s.Store.Posts(ctx, sel, 1)
		if err != nil {
			return poststore.RankPosition{}, err
		}
		if len(first) > 0 && first[0].Key() == key {
			return poststore.RankPosition{Score: score, Time: found[i].Time, Hash: enginekit.SampleHash(key)}, nil
		}
	}
	return poststore.RankPosition{}, NoPost(key)
}
