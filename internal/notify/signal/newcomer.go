package signal

import (
	"context"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/insight/detect"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

const (
	newcomerTop    = 100  // hashtags and authors of a day that count as known
	linkSample     = 4000 // posts of the history whose links are read
	recentSample   = 2000 // posts of the last 24 hours whose links are read
	maxCandidates  = 10   // newcomers of a kind that are looked up in the history
	topicStep      = 6    // hours between evaluations of topics, which are expensive
	minTopicPosts  = 100  // in the last 24 hours
	rememberFor    = 48 * time.Hour
	maxSubjectSize = 300 // bytes
)

// A subject is a hashtag, link, author or topic in the last 24 hours.
type subject struct {
	kind    earshot.SignalKind
	name    string
	label   string
	filter  string
	posts   float64
	authors float64
}

// size returns what newcomers of the kind are compared by.
func (x *subject) size() float64 {
	if x.kind == earshot.AuthorSignal {
		return x.posts
	}
	return x.authors
}

// newSubject returns a subject with its filter. It reports false if no filter can select it.
func newSubject(kind earshot.SignalKind, name string) (subject, bool) {
	x := subject{kind: kind, name: name, label: name}
	switch kind {
	case earshot.HashtagSignal:
		x.label, x.filter = "#"+name, filter.Hashtag.Is(name)
	case earshot.AuthorSignal:
		x.filter = filter.Author.Is(name)
	case earshot.LinkSignal:
		x.filter = filter.Keywords.Is(`links:"` + name + `"`)
	}
	return x, name != "" && len(name) <= maxSubjectSize && !strings.ContainsAny(name, "|,\"\\\n")
}

// readNewcomers learns how large newcomers before a day were.
func (s *Service) readNewcomers(ctx context.Context, t *target, day earshot.Date) (map[earshot.SignalKind]*detect.Newcomers, error) {
	models := map[earshot.SignalKind]*detect.Newcomers{}
	if t.count(newcomerKinds) == 0 {
		return models, nil
	}
	starts := dayStarts(day, 2*detect.NewcomerDays, t.Location())
	byHashtag, err := s.Posts.Days(ctx, s.words(t, time.Time{}, time.Time{}), starts, []poststore.Tally{hashtagTally(newcomerTop)})
	if err != nil {
		return nil, err
	}
	byAuthor, err := s.Posts.Days(ctx, t.posts(time.Time{}, time.Time{}), starts, []poststore.Tally{{By: []poststore.Dim{poststore.ByAuthor}, Top: newcomerTop}})
	if err != nil {
		return nil, err
	}
	hashtags := newcomerSizes(byHashtag[0], func(r *poststore.Row) float64 { return float64(r.Sums[0]) })
	authors := newcomerSizes(byAuthor[0], func(r *poststore.Row) float64 { return float64(r.Posts) })
	models[earshot.HashtagSignal] = detect.FitNewcomers(hashtags, detect.NewcomerAuthors, detect.NewcomerDays)
	models[earshot.AuthorSignal] = detect.FitNewcomers(authors, detect.NewcomerPosts, detect.NewcomerDays)
	models[earshot.TopicSignal] = models[earshot.HashtagSignal] // both are groups of posts about something new
	if t.watches(earshot.LinkSignal) {
		links, days, err := s.linkSizes(ctx, t, starts[detect.NewcomerDays:])
		if err != nil {
			return nil, err
		}
		models[earshot.LinkSignal] = detect.FitNewcomers(links, detect.NewcomerAuthors, days)
	}
	return models, nil
}

func hashtagTally(top int) poststore.Tally {
	return poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Authors}, Top: top}
}

// newcomerSizes returns the sizes of the subjects of the last [detect.NewcomerDays] that were not there
// in as many days before.
func newcomerSizes(days [][]poststore.Row, size func(*poststore.Row) float64) (sizes []float64) {
	seen := map[string]int{} // last day, from 1
	for d, rows := range days {
		for i := range rows {
			name := rows[i].Key[0]
			last := seen[name]
			if d >= detect.NewcomerDays && (last == 0 || d+1-last > detect.NewcomerDays) && rows[i].Posts >= detect.NewcomerPosts {
				sizes = append(sizes, size(&rows[i]))
			}
			seen[name] = d + 1
		}
	}
	return sizes
}

// linkSizes returns the numbers of authors of links on the first day that they occur, and the number of
// days. Links have no index, so it reads a sample of the posts. It skips the first week, in which all
// links look new.
func (s *Service) linkSizes(ctx context.Context, t *target, starts []time.Time) (sizes []float64, days float64, err error) {
	type first struct {
		day     int
		authors map[string]bool
	}
	const skipped = 7
	seen := map[string]*first{}
	visited := 0.0
	total, err := s.Posts.Sample(ctx, s.words(t, starts[0], starts[len(starts)-1]), linkSample, func(p *earshot.Post) {
		visited++
		day, _ := slices.BinarySearchFunc(starts, p.Time, func(start, at time.Time) int {
			if start.After(at) {
				return 1
			}
			return -1
		})
		for _, link := range p.Links {
			if link = earshot.CanonicalLink(link); link == "" {
				continue
			}
			x := seen[link]
			switch {
			case x == nil || day < x.day:
				seen[link] = &first{day, map[string]bool{insight.AuthorOf(p): true}}
			case day == x.day:
				x.authors[insight.AuthorOf(p)] = true
			}
		}
	})
	if err != nil || visited == 0 {
		return nil, float64(len(starts) - 1 - skipped), err
	}
	for _, x := range seen {
		if x.day > skipped {
			sizes = append(sizes, float64(len(x.authors))*float64(total)/visited)
		}
	}
	return sizes, float64(len(starts) - 1 - skipped), nil
}

// evaluateNewcomers finds hashtags, links, authors and topics of the last 24 hours that were not there
// before.
func (s *Service) evaluateNewcomers(ctx context.Context, t *target, w *slowWatch, now time.Time) (findings []finding, err error) {
	kinds := t.count(newcomerKinds)
	if kinds == 0 {
		return nil, nil
	}
	from := now.Add(-longWindow)
	subjects, err := s.recentSubjects(ctx, t, from, now)
	if err != nil {
		return nil, err
	}
	budget := t.budget()[detect.Newcomer] / float64(kinds)
	looked := map[earshot.SignalKind]int{}
	for _, x := range subjects {
		model := w.newcomers[x.kind]
		if model == nil || !t.watches(x.kind) || x.posts < detect.NewcomerPosts || x.kind != earshot.AuthorSignal && x.authors < detect.NewcomerAuthors {
			continue
		}
		f := finding{kind: x.kind, subject: x.name, label: x.label, filter: x.filter, from: from, to: now, window: longWindow, observed: x.posts, perYear: model.PerYear(x.size())}
		if f.perYear > budget || looked[x.kind] >= maxCandidates {
			continue
		}
		looked[x.kind]++
		if f.holds, err = s.isNew(ctx, t, &x, from, now); err != nil {
			return nil, err
		}
		f.began = func(ctx context.Context) (time.Time, error) { return s.newcomerBegan(ctx, t, &f) }
		if x.kind == earshot.TopicSignal { // its size is known only now
			f.observed, f.perYear = x.posts, model.PerYear(x.size())
			f.holds = f.holds && f.perYear <= budget
		}
		findings = append(findings, f)
	}
	return findings, nil
}

// recentSubjects returns the most frequent subjects of a period, most frequent first within a kind.
func (s *Service) recentSubjects(ctx context.Context, t *target, from, to time.Time) (list []subject, err error) {
	words, err := s.Posts.Tallies(ctx, s.words(t, from, to), []poststore.Tally{hashtagTally(3 * maxCandidates), {}})
	if err != nil {
		return nil, err
	}
	authors, err := s.Posts.Tallies(ctx, t.posts(from, to), []poststore.Tally{{By: []poststore.Dim{poststore.ByAuthor}, Top: 3 * maxCandidates}})
	if err != nil {
		return nil, err
	}
	total := float64(words[1][0].Posts)
	for _, row := range words[0] {
		if x, ok := newSubject(earshot.HashtagSignal, row.Key[0]); ok {
			x.posts, x.authors = float64(row.Posts), float64(row.Sums[0])
			list = append(list, x)
		}
	}
	for _, row := range authors[0] {
		if x, ok := newSubject(earshot.AuthorSignal, row.Key[0]); ok {
			x.posts, x.authors = float64(row.Posts), 1
			list = append(list, x)
		}
	}
	if t.watches(earshot.LinkSignal) {
		links, err := s.recentLinks(ctx, t, from, to)
		if err != nil {
			return nil, err
		}
		list = append(list, links...)
	}
	if t.watches(earshot.TopicSignal) && total >= minTopicPosts && topicsDue(t, to) {
		topics, err := s.topics(ctx, t.Monitor, from, to)
		if err != nil {
			return nil, err
		}
		for _, topic := range topics {
			// How many posts and authors it has is known when it is looked up.
			list = append(list, subject{
				kind: earshot.TopicSignal, name: topic.Name(), label: topic.Name(), filter: filter.Keywords.Is(topic.Query), posts: detect.NewcomerPosts, authors: total,
			})
		}
	}
	return list, nil
}

// topics returns the topics of the whole days of a period, among posts whose words may leave the
// installation.
func (s *Service) topics(ctx context.Context, m *earshot.Monitor, from, to time.Time) ([]insight.TopicDetail, error) {
	days := earshot.Days{Start: earshot.DateOf(from.In(m.Location())), End: earshot.DateOf(to.In(m.Location())).AddDays(1)}
	m, refinement, err := s.refine(m, filter.Without("", s.Restricted))
	if err != nil {
		return nil, err
	}
	report, err := s.Insight.ReportTopics(ctx, m, insight.ReportRequest{Days: days, Filter: refinement.Key(), Refine: refinement.Selection}, maxCandidates)
	if err != nil {
		return nil, err
	}
	return report.Topics, nil
}

// topicsDue reports whether topics are evaluated at a time. Monitors take turns.
func topicsDue(t *target, at time.Time) bool { return (int64(t.ID)+at.Unix()/3600)%topicStep == 0 }

// recentLinks returns the links of a period, those with the most authors first.
func (s *Service) recentLinks(ctx context.Context, t *target, from, to time.Time) (list []subject, err error) {
	type use struct {
		posts   float64
		authors map[string]bool
	}
	uses := map[string]*use{}
	visited := 0.0
	total, err := s.Posts.Sample(ctx, s.words(t, from, to), recentSample, func(p *earshot.Post) {
		visited++
		for _, link := range p.Links {
			if link = earshot.CanonicalLink(link); link == "" {
				continue
			}
			if uses[link] == nil {
				uses[link] = &use{authors: map[string]bool{}}
			}
			uses[link].posts++
			uses[link].authors[insight.AuthorOf(p)] = true
		}
	})
	if err != nil {
		return nil, err
	}
	for link, u := range uses {
		if x, ok := newSubject(earshot.LinkSignal, link); ok && len(u.authors) >= detect.NewcomerAuthors {
			x.posts, x.authors = u.posts*float64(total)/visited, float64(len(u.authors))*float64(total)/visited
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b subject) int {
		if a.authors != b.authors {
			return int(b.authors - a.authors)
		}
		return strings.Compare(a.name, b.name)
	})
	return list[:min(len(list), 3*maxCandidates)], nil
}

// isNew reports whether a subject has no posts in the days before, and enough now. It sets the size of a
// topic.
func (s *Service) isNew(ctx context.Context, t *target, x *subject, from, now time.Time) (bool, error) {
	before := from.AddDate(0, 0, -detect.NewcomerDays)
	if s.isUnknown(t, from.AddDate(0, 0, -1), from) {
		return false, nil // it may have been there while nobody listened
	}
	of, err := s.selection(ctx, t, x.filter, time.Time{}, time.Time{})
	if err != nil {
		return false, err
	}
	if x.kind != earshot.AuthorSignal {
		of = s.withoutRestricted(of)
	}
	counts, err := s.Posts.Histogram(ctx, of, []time.Time{before, from, now})
	if err != nil || counts[0] > 0 || counts[1] < detect.NewcomerPosts {
		return false, err
	}
	of.From, of.To = from, now
	once, err := insight.CountOnce(ctx, s.Posts, of, float64(counts[1]))
	if err != nil || once.Posts < detect.NewcomerPosts {
		return false, err
	}
	if x.kind == earshot.TopicSignal {
		x.posts, x.authors = float64(counts[1]), once.Authors
	}
	return x.kind == earshot.AuthorSignal || once.Several >= detect.NewcomerPosts, nil
}

// newcomerBegan returns the hour of the first post of a newcomer.
func (s *Service) newcomerBegan(ctx context.Context, t *target, f *finding) (time.Time, error) {
	of, err := s.selection(ctx, t, f.filter, time.Time{}, time.Time{})
	if err != nil {
		return time.Time{}, err
	}
	starts := hourStarts(t, f.from, f.to)
	counts, err := s.countHours(ctx, of, starts)
	return starts[max(0, slices.IndexFunc(counts, func(n float64) bool { return n > 0 }))], err
}

// attach adds newcomers to the volume signal of the monitor, if one is firing: they belong to the same
// story, and a signal for each would be a flood. It returns the findings that remain.
func (s *Service) attach(ctx context.Context, t *target, findings []finding, now time.Time) ([]finding, error) {
	volume := s.signals.find(s.Catalog, keyOf(t.ID, 0, earshot.VolumeSignal, ""))
	var rest []finding
	var attached []earshot.Newcomer
	for _, f := range findings {
		k := keyOf(t.ID, 0, f.kind, f.subject)
		switch {
		case !f.holds || s.signals.find(s.Catalog, k) != nil:
			rest = append(rest, f)
		case s.signals.hasNewcomer(s.Catalog, k, now.Add(-rememberFor)):
		case volume != nil:
			attached = append(attached, earshot.Newcomer{Kind: f.kind, Subject: f.subject, Label: earshot.OneLine(f.label, maxLabel), Posts: int64(f.observed)})
		default:
			rest = append(rest, f)
		}
	}
	if len(attached) == 0 {
		return rest, nil
	}
	return rest, s.amend(ctx, volume.ID, func(sig *earshot.Signal) error {
		for _, n := range attached {
			known := slices.ContainsFunc(sig.Newcomers, func(o earshot.Newcomer) bool { return o.Kind == n.Kind && o.Subject == n.Subject })
			if !known && len(sig.Newcomers) < earshot.MaxNewcomers {
				sig.Newcomers = append(sig.Newcomers, n)
			}
		}
		return nil
	})
}
