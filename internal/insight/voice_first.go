package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// findFirst returns the first posts about the story, or of all, one of each author. Posts that repeat
// others are left out.
func (f *voiceFinder) findFirst(ctx context.Context) (first []earshot.Post, err error) {
	sel := f.all
	if story := f.result.Story; story != nil {
		if sel, err = withKeywords(f.monitor, sel, story.Query); err != nil {
			return nil, err
		}
		sel.From = period.Later(sel.From, story.start(f.all.From, f.all.To))
		if sel.From, err = f.findStart(ctx, sel, story.usual(f.all.From, f.all.To)); err != nil {
			return nil, err
		}
	}
	ranked, err := f.Store.Rank(ctx, sel, poststore.Ranking{Order: poststore.OldestFirst, Limit: firstPosts})
	if err != nil {
		return nil, err
	}
	var reader textReader
	var texts enginekit.Grouper
	groups, authors := 0, map[voiceKey]bool{}
	for i := range ranked.Posts {
		p := &ranked.Posts[i].Post
		text, k := reader.read(p), voiceOf(p)
		group := text.group(&texts)
		repeats := p.Engagement == earshot.Retweet || group >= 0 && group < groups
		groups = max(groups, group+1)
		if repeats || authors[k] || k == (voiceKey{source: p.Source}) {
			continue
		}
		authors[k] = true
		if first = append(first, *p); len(first) == maxVoices {
			break
		}
	}
	return first, nil
}

// findStart returns when a story begins if its posts reach back from the start of a selection: the first
// of the hours before with clearly more posts than usual.
func (f *voiceFinder) findStart(ctx context.Context, sel poststore.Selection, usual float64) (time.Time, error) {
	start, hours := sel.From, int(f.before/time.Hour)
	if hours == 0 {
		return start, nil
	}
	sel.From, sel.To = start.Add(-f.before), start
	starts := make([]time.Time, hours+1)
	for i := range starts {
		starts[i] = sel.From.Add(time.Duration(i) * time.Hour)
	}
	counts, err := f.Store.Histogram(ctx, sel, starts)
	for i := len(counts) - 1; i >= 0 && counts[i] >= minStartPosts && float64(counts[i]) > 2*usual; i-- {
		start = starts[i]
	}
	return start, err
}

// usual returns the number of posts of the story that an hour may have by chance.
func (s *Story) usual(from, to time.Time) float64 { return max(0.5, 2*s.Expected/to.Sub(from).Hours()) }

// start returns when the story begins: the first of the consecutive hours that have the most posts
// beyond what is expected of them. A word of the story may occur by chance long before it.
func (s *Story) start(from, to time.Time) (start time.Time) {
	usual := s.usual(from, to)
	var sum, most float64
	begin, last := from, from
	for _, h := range s.Hours {
		sum -= usual * h.Time.Sub(last).Hours() // hours without posts
		if sum <= 0 {
			sum, begin = 0, h.Time
		}
		if sum += float64(h.Posts) - usual; sum > most {
			most, start = sum, begin
		}
		last = h.Time.Add(time.Hour)
	}
	return start
}
