package digest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/workspace/card"
)

// Texts of reports are the same as in the web app: web/src/strings.

// kinds has how a report shows cards of each kind: their title if they have none of their own, and the
// section of those that show parts of an overview.
var kinds = map[earshot.CardKind]struct {
	title    string
	overview func(*card.Overview) report.Section
}{
	earshot.FiguresCard:    {"Key figures", figuresSection},
	earshot.VolumeCard:     {"Volume", volumeSection},
	earshot.SentimentCard:  {"Sentiment", sentimentSection},
	earshot.EmotionsCard:   {"Emotions", emotionsSection},
	earshot.SourcesCard:    {"Sources", func(o *card.Overview) report.Section { return namesSection(o.Sources, o.Posts, "Source") }},
	earshot.SitesCard:      {"Sites", func(o *card.Overview) report.Section { return namesSection(o.Sites, o.Posts, "Site") }},
	earshot.LanguagesCard:  {"Languages", languagesSection},
	earshot.PlacesCard:     {"Locations", placesSection},
	earshot.AgesCard:       {"Age", func(o *card.Overview) report.Section { return groupsSection(o.Ages, o.Posts, "Age", ageNames) }},
	earshot.GendersCard:    {"Gender", func(o *card.Overview) report.Section { return groupsSection(o.Genders, o.Posts, "Gender", genderNames) }},
	earshot.HashtagsCard:   {"Hashtags", hashtagsSection},
	earshot.WordsCard:      {"Words", wordsSection},
	earshot.AuthorsCard:    {"Authors", authorsSection},
	earshot.InterestsCard:  {"Interests", interestsSection},
	earshot.ClockCard:      {"Weekday and hour", clockSection},
	earshot.UnusualCard:    {title: "Incidents"},
	earshot.TopicsCard:     {title: "Topics"},
	earshot.PostsCard:      {title: "Posts"},
	earshot.ComparisonCard: {title: "Comparison"},
	earshot.TextCard:       {},
}

// postTitles are the titles of cards with posts, by their order.
var postTitles = map[string]string{
	"newest": "Newest posts", "oldest": "Oldest posts", "engagement": "Posts by engagement", "reach": "Posts by reach", "relevance": "Most relevant posts",
}

func titleOf(kind earshot.CardKind, sort string) string {
	if kind == earshot.PostsCard {
		return cmp.Or(postTitles[sort], kinds[kind].title)
	}
	return kinds[kind].title
}

// newSection returns the section of a card. It shows some of the posts.
func newSection(card earshot.Card, data card.Result, printed int) report.Section {
	var s report.Section
	switch {
	case card.Kind == earshot.TextCard:
		s = report.Section{Blocks: []report.Block{report.Text(card.Text)}, Data: textTable(card.Text)}
	case data.Comparison == nil && data.Removed:
		s = report.Section{Blocks: []report.Block{report.Note("This monitor was removed.")}}
	case data.Overview != nil && data.Overview.Posts == 0:
		s = report.Section{Blocks: []report.Block{report.Note("No posts in this period.")}}
	case data.Topics != nil:
		s = topicsSection(data.Topics)
	case data.Posts != nil:
		s = postsSection(data.Posts, printed)
	case data.Incidents != nil:
		s = incidentsSection(data.Incidents)
	case data.Comparison != nil:
		s = comparisonSection(data.Comparison)
		if data.Removed {
			s.Blocks = append(s.Blocks, report.Note("Some monitors of this comparison were removed."))
		}
	case data.Overview != nil:
		s = kinds[card.Kind].overview(data.Overview)
	}
	s.Title = cmp.Or(card.Title, titleOf(card.Kind, card.Sort))
	return s
}

func languagesSection(o *card.Overview) report.Section {
	return namesSection(jsonvalue.Map(o.Languages, dropID), o.Posts, "Language")
}

func placesSection(o *card.Overview) report.Section {
	s := namesSection(jsonvalue.Map(o.Places.Countries, dropID), o.Places.Located, "Country")
	s.Note = knownPosts(o.Places.Located, o.Posts)
	return s
}

func hashtagsSection(o *card.Overview) report.Section {
	return namesSection(jsonvalue.Map(o.Hashtags, func(c card.NameCount) card.NameCount { return card.NameCount{Name: "#" + c.Name, Posts: c.Posts} }), 0, "Hashtag")
}

func wordsSection(o *card.Overview) report.Section {
	s := namesSection(o.Words, 0, "Word")
	s.Note, s.Data.Columns[1].Name = "Occurrences in a sample of posts", "Occurrences"
	return s
}

var (
	ageNames = map[string]string{
		"ZERO_TO_SEVENTEEN": "17 and under", "EIGHTEEN_TO_TWENTYFOUR": "18–24", "TWENTYFIVE_TO_THIRTYFOUR": "25–34", "THIRTYFIVE_AND_OVER": "35 and over",
	}
	genderNames = map[string]string{"F": "Female", "M": "Male"}
)

func dropID(c card.IDCount) card.NameCount { return card.NameCount{Name: c.Name, Posts: c.Posts} }

// knownPosts says for how many posts something is known.
func knownPosts(n, posts int64) string {
	return fmt.Sprintf("Known for %s (%s)", format.Plural(n, "post", "posts"), format.Percent(shareOf(n, posts)))
}

func shareOf(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// figuresSection shows the key metrics.
func figuresSection(o *card.Overview) report.Section {
	compact := func(n int64) string { return format.Compact(float64(n)) }
	posts := report.Figure{Name: "Posts", Value: compact(o.Posts), Note: changeNote(o)}
	perDay := int64(float64(o.Posts)/float64(daysWithPosts(o)) + 0.5)
	reach := report.Figure{Name: "Reach", Value: "–", Note: "no follower counts available"}
	s := report.Section{Data: report.Table{Columns: []report.Column{
		{Name: "Metric"}, {Name: "Value", Kind: report.NumberColumn}, {Name: "Share", Kind: report.ShareColumn}, {Name: "Low", Kind: report.ShareColumn},
		{Name: "High", Kind: report.ShareColumn}, {Name: "Note"},
	}}}
	for _, row := range []struct {
		name  string
		value int64
		note  string
	}{{posts.Name, o.Posts, posts.Note}, {"Posts per day", perDay, ""}, {"Authors", o.Authors.Count, ""}} {
		s.Data.Rows = append(s.Data.Rows, []any{row.name, row.value, nil, nil, nil, row.note})
	}
	if r := o.Authors.Impressions; r != nil {
		reach.Value, reach.Note = compact(*r), "total author followers across all posts"
		s.Data.Rows = append(s.Data.Rows, []any{reach.Name, *r, nil, nil, nil, reach.Note})
	}
	figures := report.Figures{posts, {Name: "Posts per day", Value: compact(perDay)}, {Name: "Authors", Value: compact(o.Authors.Count)}, reach}
	if first, second := leading(o.Categories); first.Share > 0 {
		f := report.Figure{Name: "Dominant sentiment", Value: shortCategory(first.Name), Note: percentOf(first.Estimate)}
		if o.Monitor.Type == earshot.Opinion {
			f.Name = "Leading opinion"
		}
		row := append([]any{f.Name, first.Posts}, append(estimateCells(first.Estimate), f.Value)...)
		if first.Interval != nil && second.Interval != nil && second.Interval.High > first.Interval.Low {
			f.Value, row[5] = "No clear leader", "No clear leader: "+f.Value+" or "+shortCategory(second.Name)
			f.Note = shortCategory(first.Name) + " " + format.Percent(first.Share) + ", " + shortCategory(second.Name) + " " + format.Percent(second.Share)
		}
		figures = append(figures, f)
		s.Data.Rows = append(s.Data.Rows, row)
	}
	s.Blocks = []report.Block{figures}
	return s
}

// changeNote says how the number of posts has changed, or returns "".
func changeNote(o *card.Overview) string {
	if o.Previous == nil {
		return ""
	}
	before := "vs. previous day"
	if days := (earshot.Days{Start: o.Start, End: o.End}).Len(); days > 1 {
		before = fmt.Sprintf("vs. previous %s days", format.Number(int64(days)))
	}
	return format.Change(float64(o.Posts), float64(o.Previous.Posts)) + " " + before
}

// daysWithPosts returns the number of days since the first post if there are none before the period: then
// nothing was collected until that day. Otherwise, it returns the number of all days.
func daysWithPosts(o *card.Overview) int {
	days := (earshot.Days{Start: o.Start, End: o.End}).Len()
	if o.Previous == nil || o.Previous.Posts == 0 {
		days -= max(0, slices.IndexFunc(o.Days, func(d card.OverviewDay) bool { return d.Posts > 0 }))
	}
	return max(1, days)
}

// leading returns the two visible categories with the largest shares.
func leading(list []card.OverviewCategory) (first, second card.OverviewCategory) {
	for _, c := range list {
		switch {
		case c.Hidden:
		case c.Share > first.Share:
			first, second = c, first
		case c.Share > second.Share:
			second = c
		}
	}
	return first, second
}

// estimateCells returns the cells of a share and the bounds of its interval.
func estimateCells(e card.Estimate) []any {
	if e.Interval == nil {
		return []any{e.Share, nil, nil}
	}
	return []any{e.Share, e.Interval.Low, e.Interval.High}
}

// shortCategory shortens the name of a category: "Basic Positive" to "Positive".
func shortCategory(name string) string {
	return strings.TrimPrefix(name, "Basic ")
}

// volumeSection shows the number of posts over time.
func volumeSection(o *card.Overview) report.Section {
	steps := newSteps(o)
	chart := report.TimeChart{Series: []report.Series{{Name: "Posts", Color: "#2b55cf"}}}
	if len(steps.list) > 200 {
		chart.Kind = report.TimeAreas
	}
	s := report.Section{Data: report.Table{
		Columns: []report.Column{steps.column(), {Name: "Posts", Kind: report.NumberColumn}},
		Chart:   report.SheetChart{Columns: []int{1}},
	}}
	peak, most := "", int64(-1)
	for _, step := range steps.list {
		posts := steps.sum(step, func(i int) int64 { return steps.posts(i) })
		chart.Labels = append(chart.Labels, step.label)
		chart.Series[0].Values = append(chart.Series[0].Values, float64(posts))
		chart.Series[0].Marked = append(chart.Series[0].Marked, steps.unit == byDay && slices.ContainsFunc(o.Unusual, func(d card.UnusualDay) bool { return d.Date == step.start }))
		s.Data.Rows = append(s.Data.Rows, []any{step.value, posts})
		if posts > most {
			most, peak = posts, fmt.Sprintf("Peak: %s %s", format.Number(posts), step.when)
		}
	}
	s.Note = peak
	s.Blocks = []report.Block{chart}
	return s
}

// Number of rows of lists; a workbook has all of them.
const sectionRows = 10

// namesSection lists the most frequent values. Shares are of total, if that is not 0.
func namesSection(list []card.NameCount, total int64, column string) report.Section {
	s := report.Section{Half: true, Data: report.Table{Columns: []report.Column{{Name: column}, {Name: "Posts", Kind: report.NumberColumn}}}}
	if total > 0 {
		s.Data.Columns = append(s.Data.Columns, report.Column{Name: "Share", Kind: report.ShareColumn})
	}
	var bars report.Bars
	for i, c := range list {
		bar := report.Bar{Name: c.Name, Value: float64(c.Posts), Text: format.Number(c.Posts)}
		row := []any{c.Name, c.Posts}
		if total > 0 {
			bar.Note = format.Percent(shareOf(c.Posts, total))
			row = append(row, shareOf(c.Posts, total))
		}
		s.Data.Rows = append(s.Data.Rows, row)
		if i < sectionRows {
			bars = append(bars, bar)
		}
	}
	s.Blocks = []report.Block{orNone(bars)}
	return s
}

// orNone returns bars, or a note if there are none.
func orNone(bars report.Bars) report.Block {
	if len(bars) == 0 {
		return report.Note("None in these posts.")
	}
	return bars
}

// groupsSection shows how posts are distributed over groups of authors.
func groupsSection(list []card.GroupCount, posts int64, column string, names map[string]string) report.Section {
	total := int64(0)
	for _, g := range list {
		total += g.Posts
	}
	s := namesSection(jsonvalue.Map(list, func(g card.GroupCount) card.NameCount {
		return card.NameCount{Name: cmp.Or(names[g.ID], g.ID), Posts: g.Posts}
	}), total, column)
	s.Note = fmt.Sprintf("Known for %s of posts", format.Percent(shareOf(total, posts)))
	return s
}

// authorsSection lists the authors with the most posts.
func authorsSection(o *card.Overview) report.Section {
	a := &o.Authors
	s := report.Section{Half: true, Note: format.Plural(a.Count, "author", "authors"),
		Data: report.Table{Columns: []report.Column{{Name: "Author"}, {Name: "Posts", Kind: report.NumberColumn}, {Name: "Reach", Kind: report.NumberColumn}}}}
	var bars report.Bars
	for i, c := range a.Top {
		bar := report.Bar{Name: c.Name, Value: float64(c.Posts), Text: format.Number(c.Posts)}
		row := []any{c.Name, c.Posts, nil}
		if c.Impressions != nil {
			bar.Note = "· reach " + format.Compact(float64(*c.Impressions))
			row[2] = *c.Impressions
		}
		s.Data.Rows = append(s.Data.Rows, row)
		if i < sectionRows {
			bars = append(bars, bar)
		}
	}
	s.Blocks = []report.Block{orNone(bars)}
	return s
}

// interestsSection lists the interests of posts and their authors.
func interestsSection(o *card.Overview) report.Section {
	s := report.Section{Half: true, Note: "Index vs. all microblog posts (1.0 = average)",
		Data: report.Table{Columns: []report.Column{{Name: "Interest"}, {Name: "Posts", Kind: report.NumberColumn}, {Name: "Index", Kind: report.DecimalColumn}}}}
	var bars report.Bars
	for i, c := range o.Interests {
		bar := report.Bar{Name: c.Name, Value: float64(c.Posts), Text: format.Number(c.Posts)}
		if c.Relevancy != 0 {
			bar.Note = fmt.Sprintf("· index %.1f", c.Relevancy)
		}
		s.Data.Rows = append(s.Data.Rows, []any{c.Name, c.Posts, c.Relevancy})
		if i < sectionRows {
			bars = append(bars, bar)
		}
	}
	s.Blocks = []report.Block{orNone(bars)}
	return s
}

// clockSection shows the hours of the week.
func clockSection(o *card.Overview) report.Section {
	s := report.Section{Note: "Author's local time where known, otherwise the monitor's time zone",
		Data: report.Table{Columns: []report.Column{{Name: "Weekday"}, {Name: "Hour", Kind: report.NumberColumn}, {Name: "Posts", Kind: report.NumberColumn}}}}
	var heat report.Heatmap
	var busiest card.ClockCount
	for i, c := range o.Clock[:min(len(o.Clock), 7*24)] {
		heat[i/24][i%24] = c.Posts
		s.Data.Rows = append(s.Data.Rows, []any{c.Weekday, int64(c.Hour), c.Posts})
		if c.Posts > busiest.Posts {
			busiest = c
		}
	}
	s.Blocks = []report.Block{heat}
	if busiest.Posts > 0 {
		s.Blocks = append(s.Blocks, report.Note(fmt.Sprintf("Peak on %s at %s: %s", busiest.Weekday, format.Clock(time.Date(0, 1, 1, busiest.Hour, 0, 0, 0, time.UTC)), format.Number(busiest.Posts))))
	}
	return s
}

// topicsSection lists the largest topics.
func topicsSection(t *card.TopicsResponse) report.Section {
	s := report.Section{
		Half: true,
		Note: fmt.Sprintf("%s of %s (%s) are about these topics. A post can be about several.", format.Number(t.About), format.Plural(t.Posts, "post", "posts"), format.Percent(shareOf(t.About, t.Posts))),
		Data: report.Table{Columns: []report.Column{{Name: "Topic"}, {Name: "Posts", Kind: report.NumberColumn}, {Name: "Share", Kind: report.ShareColumn}, {Name: "Previous period", Kind: report.NumberColumn}}},
	}
	var bars report.Bars
	for _, topic := range t.Topics {
		row := []any{topic.Name, topic.Posts, topic.Share, nil}
		if topic.Previous != nil {
			row[3] = *topic.Previous
		}
		s.Data.Rows = append(s.Data.Rows, row)
		bars = append(bars, report.Bar{Name: topic.Name, Value: float64(topic.Posts), Text: format.Number(topic.Posts), Note: format.Percent(topic.Share)})
	}
	if len(bars) == 0 {
		s.Note = "Too few posts have words in common."
	}
	s.Blocks = []report.Block{orNone(bars)}
	return s
}

func textTable(text string) report.Table {
	t := report.Table{Columns: []report.Column{{Name: "Text"}}}
	for line := range strings.Lines(text) {
		t.Rows = append(t.Rows, []any{strings.TrimRight(line, "\n")})
	}
	return t
}
