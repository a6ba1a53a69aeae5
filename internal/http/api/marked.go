package api

import (
	"strconv"
	"sync"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// A markedPost is a post with what those see of it who look at a monitor in the web app.
type markedPost struct {
	Key string `json:"key"`
	post
	Excerpt  bool          `json:"excerpt"` // contents are shortened
	Marks    postMarks     `json:"marks"`
	Likes    earshot.Count `json:"likes,omitzero"`
	Shares   earshot.Count `json:"shares,omitzero"`
	Comments earshot.Count `json:"comments,omitzero"`
	Hashtags []string      `json:"hashtags"`
	Inferred []string      `json:"inferred"`
}

// postMarks are where the words stand that were looked for, in UTF-16 code units of the texts
// as they are sent.
type postMarks struct {
	Title    marks `json:"title"`
	Contents marks `json:"contents"`
}

// marks are ranges, from and to before which.
type marks [][2]int

// AppendJSON implements rest.Appender.
func (m marks) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i, mark := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(mark[0]), 10)
		b = strconv.AppendInt(append(b, ','), int64(mark[1]), 10)
		b = append(b, ']')
	}
	return append(b, ']')
}

// MarkPosts returns what shows posts of m, which are sorted so: as /api/monitor/posts does, with
// marks at the words that the monitor looks for, and those of narrow, which may be nil. Unless
// full is true, long contents are shown as an excerpt. What it returns shares its texts with the post.
func (a *API) MarkPosts(m *earshot.Monitor, sorted insight.Categorization, narrow *watchlist.Condition, full bool) func(p *earshot.Post) any {
	k := &marker{shower: a.newShower(m, sorted), narrow: narrow, full: full}
	k.ofMonitor = sync.OnceValue(func() *watchlist.Condition {
		c, _ := a.Monitors.Condition(m) // without one nothing is marked, which is better than to show nothing
		return c
	})
	return k.mark
}

// A marker shows posts with marks.
type marker struct {
	*shower
	ofMonitor func() *watchlist.Condition
	narrow    *watchlist.Condition
	full      bool
	doc       query.Document
}

func (k *marker) mark(p *earshot.Post) any {
	shown := &markedPost{
		Key:      p.Key().Text(),
		Likes:    p.Likes,
		Shares:   p.Shares,
		Comments: p.Comments,
		Hashtags: orEmpty(p.Hashtags),
		Inferred: inferred(p.Inferred),
	}
	k.show(&shown.post, p)
	if k.api.restricted(p.Source) {
		shown.Hashtags = []string{} // they are words of the text
		return shown
	}
	k.doc.Reset(p)
	spans := query.MergeSpans(k.ofMonitor().Spans(&k.doc), k.narrow.Spans(&k.doc))
	shown.Marks.Title = query.Highlights(p.Title, true, spans)
	if !k.full && !query.Fits(p.Contents, excerptLength) {
		extract := query.NewExcerpt(p.Contents, spans, excerptLength)
		shown.Contents, shown.Excerpt = &extract.Text, true
		spans = extract.MapSpans(spans)
	}
	shown.Marks.Contents = query.Highlights(*shown.Contents, false, spans)
	return shown
}

// inferred names what models told of a post that others say of themselves.
func inferred(by earshot.Inferred) []string {
	names := []string{}
	for _, f := range []struct {
		told earshot.Inferred
		name string
	}{
		{earshot.InferredLanguage, "language"}, {earshot.InferredGender, "gender"},
		{earshot.InferredPlace, "place"}, {earshot.InferredImages, "images"},
	} {
		if by&f.told != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// Assign returns what tells the names of the category and the emotion that posts of m, which
// are sorted so, are shown in; "" for none.
func (a *API) Assign(m *earshot.Monitor, sorted insight.Categorization) func(p *earshot.Post) (category, emotion string) {
	s := a.newShower(m, sorted)
	names := map[earshot.CategoryID]string{}
	for _, c := range m.Categories {
		names[c.ID] = c.Name
	}
	feelings := map[earshot.CategoryID]string{}
	for _, c := range m.Emotions {
		feelings[c.ID] = c.Name
	}
	var facts postFacts
	return func(p *earshot.Post) (category, emotion string) {
		facts = postFacts{CategoryScores: facts.CategoryScores[:0], EmotionScores: facts.EmotionScores[:0]}
		s.feel(&facts, p)
		return names[facts.AssignedCategoryID], feelings[facts.AssignedEmotionID]
	}
}
