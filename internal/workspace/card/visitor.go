package card

import (
	"context"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/query/filter"
	"earshot/internal/workspace/incident"
	"earshot/internal/workspace/postview"
)

// ShowVisitors returns what people without an account see on cards. days applies to cards without days of
// their own.
func (s *Service) ShowVisitors(ctx context.Context, c *earshot.Caller, cards []earshot.Card, days Period, detail Detail) []Outcome {
	results := s.showAll(ctx, c, jsonvalue.Map(cards, s.withoutRestricted), days, detail, true)
	for i, r := range results {
		switch {
		case earshot.IsKind(r.Err, earshot.NotFound):
			results[i] = Outcome{Result: Result{Removed: true}}
		case earshot.IsKind(r.Err, earshot.Invalid):
			results[i] = Outcome{Err: earshot.Errorf(earshot.Unprocessable, "This card cannot be shown")}
		case r.Err == nil:
			results[i].Result = r.forVisitors(kinds[cards[i].Kind])
		}
	}
	return results
}

// DescribeToVisitors returns a card without the monitors and filters that it uses. A monitor that the link
// may not show looks like one that was removed.
func (s *Service) DescribeToVisitors(c *earshot.Caller, of earshot.Card) Shown {
	shown := s.Describe(of)
	if _, err := s.Monitors.Find(c, of.Monitor); err != nil && of.Monitor != 0 {
		shown = Shown{Info: shown.Info, Removed: true}
	}
	shown.Monitor, shown.Parent, shown.Filter = 0, 0, ""
	for i := range shown.Rows {
		shown.Rows[i].Monitor, shown.Rows[i].Filter = 0, ""
	}
	return shown
}

// withoutRestricted makes a card that shows words leave out posts whose texts visitors may not read. The
// words of a few posts would reveal their texts.
func (s *Service) withoutRestricted(c earshot.Card) earshot.Card {
	if kinds[c.Kind].words {
		c.Filter = filter.Without(c.Filter, s.Views.Restricted)
	}
	return c
}

// forVisitors returns a copy of the data with what a card of a kind shows, and nothing else: no IDs of
// monitors, no filters, not the team's sources, nothing that leads to more posts, and not what the
// team notes about posts or corrects. Fields that are not listed here stay hidden.
func (d Result) forVisitors(k kind) Result {
	shown := Result{Removed: d.Removed}
	if o := d.Overview; o != nil {
		shown.Overview = newSharedOverview(k, o)
	}
	if t := d.Topics; t != nil {
		shown.Topics = &TopicsResponse{
			Start: t.Start, End: t.End, Previous: t.Previous, Posts: t.Posts, About: t.About, Step: t.Step, Steps: t.Steps,
			Topics: jsonvalue.Map(t.Topics, func(t Topic) Topic {
				return Topic{
					Name: t.Name, Terms: t.Terms, Posts: t.Posts, Share: t.Share, Previous: t.Previous, Steps: t.Steps,
					Sentiment: t.Sentiment, Examples: newSharedPosts(t.Examples),
				}
			}),
		}
	}
	if p := d.Posts; p != nil {
		shown.Posts = &PostsResponse{Start: p.Start, End: p.End, Total: p.Total, Groups: p.Groups, Items: newSharedPosts(p.Items)}
	}
	if l := d.Incidents; l != nil {
		shown.Incidents = &incident.List{Learning: l.Learning, Incidents: jsonvalue.Map(l.Incidents, incident.Incident.ForVisitors)}
	}
	if c := d.Comparison; c != nil {
		shown.Comparison = &Comparison{Rows: jsonvalue.Map(c.Rows, newSharedRow)}
	}
	return shown
}

func newSharedOverview(k kind, o *Overview) *Overview {
	shown := o.only(k.parts)
	shown.Monitor.ID, shown.Results, shown.Gaps = 0, DateRange{}, []OverviewGap{}
	if !k.authors {
		shown.Authors.Top, shown.Authors.Reach = []AuthorCount{}, []AuthorCount{}
	}
	shown.Annotations, shown.Signals = []Annotation{}, []SignalMark{}
	if k.annotations {
		for i, a := range o.Annotations {
			shown.Annotations = append(shown.Annotations, Annotation{ID: earshot.AnnotationID(i + 1), Start: a.Start, End: a.End, Text: a.Text})
		}
	}
	if !k.categories {
		shown.Categories, shown.Estimated, shown.Labels, shown.NeedsTraining = []OverviewCategory{}, false, 0, ""
	}
	if !k.emotions {
		shown.Emotions = []OverviewEmotion{}
	}
	shown.Days, shown.Hours = slices.Clone(shown.Days), slices.Clone(shown.Hours)
	for i := range shown.Days {
		d := &shown.Days[i]
		d.Categories, d.Emotions = onlyIf(k.categories, d.Categories), onlyIf(k.emotions, d.Emotions)
	}
	shown.Intervals = slices.Clone(shown.Intervals)
	for i := range shown.Intervals {
		d := &shown.Intervals[i]
		d.Categories, d.Emotions = onlyIf(k.categories, d.Categories), onlyIf(k.emotions, d.Emotions)
	}
	if !k.categories && !k.emotions {
		shown.Intervals = []DayIntervals{}
	}
	for i := range shown.Hours {
		h := &shown.Hours[i]
		h.Categories, h.Emotions = onlyIf(k.categories, h.Categories), onlyIf(k.emotions, h.Emotions)
	}
	return &shown
}

// onlyIf returns a list, or an empty one.
func onlyIf[T any](shown bool, list []T) []T {
	if shown {
		return list
	}
	return []T{}
}

// newSharedRow returns what a comparison card shows of a row.
func newSharedRow(r ComparedRow) ComparedRow {
	r.Monitor.ID = 0
	return ComparedRow{
		Label: r.Label, Monitor: r.Monitor, Requested: r.Requested, Start: r.Start, End: r.End, Coverage: r.Coverage,
		Ongoing: r.Ongoing, Partial: r.Partial, Posts: r.Posts, Share: r.Share, Earlier: r.Earlier, Days: r.Days,
		Authors: r.Authors, Impressions: r.Impressions, Engagement: r.Engagement,
		Categories: []OverviewCategory{}, Emotions: []OverviewEmotion{}, Sources: []NameCount{}, Languages: []IDCount{},
		Hashtags: []NameCount{}, Countries: []IDCount{}, Genders: []GroupCount{}, Ages: []GroupCount{},
		Topics: []ComparedTopic{}, Separating: newDrivers(&earshot.Monitor{}, &insight.Drivers{}),
	}
}

// newSharedPosts returns what visitors see of posts. Lists need keys, which are just numbers.
func newSharedPosts(list []*postview.HighlightedPost) []*postview.HighlightedPost {
	shown := make([]*postview.HighlightedPost, len(list))
	for i, p := range list {
		shown[i] = &postview.HighlightedPost{
			Key: strconv.Itoa(i + 1), Post: postview.Post{Facts: p.Facts, EngagementType: p.EngagementType},
			Excerpt: p.Excerpt, Highlights: p.Highlights, Likes: p.Likes, Shares: p.Shares, Comments: p.Comments,
			Replies: p.Replies, Retweets: p.Retweets, Hashtags: p.Hashtags, Inferred: p.Inferred, Copies: p.Copies,
		}
	}
	return shown
}
