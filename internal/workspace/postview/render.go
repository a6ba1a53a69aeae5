package postview

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/opinion"
	"earshot/internal/poststore"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// excerptLength is the length in characters of excerpts from long contents.
const excerptLength = 300

// Options configure a [Renderer].
type Options struct {
	Monitor        *earshot.Monitor
	Categorization insight.Categorization // categorization of the monitor's posts
	Refinement     *watchlist.Condition   // also highlighted, and shown in excerpts; may be nil
	Excerpts       bool                   // replace long contents with an excerpt around the highlights
	AsInferred     bool                   // ignore corrections of categories
	Zone           *time.Location         // of dates; nil: the monitor's
	Marks          bool                   // show what the team keeps about posts, which is for its members only
}

// A Renderer renders posts of a monitor. It reuses buffers, so it must not be used concurrently.
type Renderer struct {
	Options
	service    *Service
	zone       *time.Location
	condition  func() *watchlist.Condition    // compiled condition of the monitor, nil if that fails
	places     map[earshot.Place]*Geolocation // cache: most posts come from few places
	scores     []float32                      // scores of the current post; reused
	modelIndex []int                          // for each category, its index in the model or -1
	assigned   Facts                          // reused by Assigned

	corrections *poststore.Corrections // of the monitor's posts; nil: none
	doc         query.Document
}

// NewRenderer returns a renderer.
func (s *Service) NewRenderer(o Options) *Renderer {
	r := &Renderer{Options: o, service: s, zone: cmp.Or(o.Zone, o.Monitor.Location()), places: map[earshot.Place]*Geolocation{}}
	if !o.AsInferred {
		r.corrections = s.corrections(o.Monitor)
	}
	if model := o.Categorization.Model; model != nil {
		r.modelIndex = jsonvalue.Map(o.Monitor.Categories, func(c earshot.Category) int { return slices.Index(model.Categories, c.ID) })
	}
	r.condition = sync.OnceValue(func() *watchlist.Condition { // compiled lazily: most responses have no long contents
		// If this version cannot parse the query, or the filter has just been deleted, still show
		// the posts, without highlights and with excerpts from the beginning of the text.
		c, _ := s.Monitors.Condition(o.Monitor)
		return c
	})
	return r
}

// Render renders p into out, without what may not be displayed. It reuses the slices of out. The
// texts of out point into p; if Render makes an excerpt, it replaces the contents of p.
func (r *Renderer) Render(out *Post, p *earshot.Post) {
	out.EngagementType, out.Custom = p.Engagement, p.Custom
	r.renderFacts(&out.Facts, p)
	if r.Excerpts && out.Contents != nil && !query.Fits(p.Contents, excerptLength) {
		p.Contents = query.NewExcerpt(p.Contents, r.spans(p), excerptLength).Text
	}
}

// spans returns the spans of p that the monitor and the refinement match.
func (r *Renderer) spans(p *earshot.Post) []query.Span {
	r.doc.Reset(p)
	return query.MergeSpans(r.condition().Spans(&r.doc), r.Refinement.Spans(&r.doc))
}

func (r *Renderer) renderFacts(out *Facts, p *earshot.Post) {
	*out = Facts{
		URL:              p.URL,
		Date:             earshot.Timestamp(p.Time.In(r.zone)), // see docs/decisions/0012-timestamp-time-zones.md
		Author:           p.Author,
		Contents:         &p.Contents,
		Title:            &p.Title,
		Type:             p.Source,
		Language:         p.Language,
		Location:         p.Location,
		Geolocation:      r.geolocation(p.Place),
		AuthorKlout:      p.Klout,
		AuthorGender:     p.Gender,
		AuthorPosts:      p.AuthorPosts,
		AuthorsFollowing: p.Following,
		AuthorsFollowers: p.Followers,
		AuthorUsername:   p.AuthorUsername,
		AuthorProfileID:  p.AuthorProfileID,
		CategoryScores:   jsonvalue.OrEmpty(out.CategoryScores[:0]),
		EmotionScores:    jsonvalue.OrEmpty(out.EmotionScores[:0]),
		ImageInfo:        jsonvalue.Map(p.Images, newImageInfo),
	}
	r.categorize(out, p)
	if r.service.IsRestricted(p.Source) { // see docs/decisions/0010-content-restrictions.md
		out.Title, out.Contents = nil, nil
		if hidesAuthor(p.Source) {
			out.Author, out.Date = "", earshot.Timestamp{}
		}
		if r.service.ForClients {
			out.Title = new(string)
		}
	}
}

func (r *Renderer) geolocation(p earshot.Place) *Geolocation {
	if p.IsZero() {
		return nil
	}
	g := r.places[p]
	if g == nil {
		entry, _ := geo.Lookup(p)
		entry.Place = p
		rendered := NewGeolocation(entry)
		g = &rendered
		r.places[p] = g
	}
	return g
}

// categorize sets the category or sentiment and the emotion of a post, with the monitor's names and
// IDs. Categories that an opinion monitor's model was not trained on have a score of 0. The posts that
// the store returns have their corrected sentiments and emotions, but categories are not part of them.
func (r *Renderer) categorize(out *Facts, p *earshot.Post) {
	m := r.Monitor
	if top := p.Sentiment.Assigned(); top >= 0 && m.HasBasicCategories() {
		out.AssignedCategoryID = m.Categories[top].ID
		for i, c := range m.Categories {
			out.CategoryScores = append(out.CategoryScores, CategoryScore{c.ID, c.Name, hundredths(p.Sentiment[i])})
		}
	}
	if corrected := r.correctedCategory(p); corrected != 0 {
		out.AssignedCategoryID = corrected
		for _, c := range m.Categories {
			score := 0.0
			if c.ID == corrected {
				score = 1
			}
			out.CategoryScores = append(out.CategoryScores, CategoryScore{c.ID, c.Name, score})
		}
	} else if model := r.Categorization.Model; model != nil {
		r.scores = model.Score(p, r.scores[:0])
		top, rounded := opinion.Argmax(r.scores), make([]earshot.Percent, len(r.scores))
		earshot.RoundShares(rounded, r.scores)
		for i, c := range m.Categories {
			share := 0.0
			if index := r.modelIndex[i]; index >= 0 {
				share = hundredths(rounded[index])
				if index == top {
					out.AssignedCategoryID = c.ID
				}
			}
			out.CategoryScores = append(out.CategoryScores, CategoryScore{c.ID, c.Name, share})
		}
	}
	if top := p.Emotion.Assigned(); top >= 0 && len(m.Emotions) == len(p.Emotion) {
		out.AssignedEmotionID = m.Emotions[top].ID
		for i, c := range m.Emotions {
			out.EmotionScores = append(out.EmotionScores, EmotionScore{c.ID, c.Name, hundredths(p.Emotion[i])})
		}
	}
}

// Assigned returns the names of the category and the emotion that a post is assigned to, or "" for
// none.
func (r *Renderer) Assigned(p *earshot.Post) (category, emotion string) {
	r.assigned = Facts{CategoryScores: r.assigned.CategoryScores[:0], EmotionScores: r.assigned.EmotionScores[:0]}
	r.categorize(&r.assigned, p)
	return categoryName(r.Monitor.Categories, r.assigned.AssignedCategoryID), categoryName(r.Monitor.Emotions, r.assigned.AssignedEmotionID)
}

func categoryName(list []earshot.Category, id earshot.CategoryID) string {
	i := slices.IndexFunc(list, func(c earshot.Category) bool { return c.ID == id })
	if i < 0 {
		return ""
	}
	return list[i].Name
}

func hundredths(score earshot.Percent) float64 { return float64(score) / 100 }
