package api

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/model/opinion"
)

// How many posts one call returns.
const (
	postLimit         = 500
	extendedPostLimit = 10_000
)

type postsParams struct {
	monitorRange
	Filter       postFilter `query:"filter" doc:"pairs field:value separated by |; the fields are site, keywords, geolocation, category, language, source, gender and author"`
	ExtendLimit  bool       `query:"extendLimit" doc:"true: up to 10,000 posts instead of 500"`
	FullContents bool       `query:"fullContents" doc:"true: contents are not shortened"`
	Geotagged    bool       `query:"geotagged" doc:"true: only posts with a place"`
}

type postsResponse struct {
	Posts               []post       `json:"posts" doc:"the newest posts first"`
	TotalPostsAvailable int64        `json:"totalPostsAvailable" doc:"posts in the range that meet the filter"`
	Status              rest.Success `json:"status"`
}

// A post is one of a monitor.
type post struct {
	postFacts
	EngagementType earshot.Engagement `json:"engagementType,omitempty" doc:"how it relates to another post" values:"POST,RETWEET,REPLY,COMMENT"`
	Custom         map[string]string  `json:"custom,omitempty" doc:"the custom fields of an uploaded document"`
}

// postFacts are what posts of monitors and of streams tell. Texts are pointers because
// restricted sources leave them out, which is not the same as being empty.
type postFacts struct {
	URL                string             `json:"url,omitempty" doc:"address of the post"`
	Date               earshot.Timestamp  `json:"date,omitzero" doc:"when it was written, on the clock of the monitor's time zone" restricted:"true"`
	Author             string             `json:"author,omitempty" doc:"the author: a name, or handle (display name)" restricted:"true"`
	Contents           *string            `json:"contents,omitempty" doc:"the text, shortened around what the monitor looks for unless fullContents is true" restricted:"true"`
	Title              *string            `json:"title,omitempty" doc:"title; may be empty" restricted:"true"`
	Type               earshot.Source     `json:"type" doc:"name of the source"`
	Language           string             `json:"language,omitempty" doc:"2-letter code"`
	Location           string             `json:"location,omitempty" doc:"place in free text"`
	Geolocation        *geolocation       `json:"geolocation,omitempty" doc:"place"`
	AuthorKlout        earshot.Count      `json:"authorKlout,omitzero" doc:"influence of the author"`
	AuthorGender       earshot.Gender     `json:"authorGender,omitempty" doc:"gender of the author" values:"M,F"`
	AuthorPosts        earshot.Count      `json:"authorPosts,omitzero" doc:"posts the author has written"`
	AuthorsFollowing   earshot.Count      `json:"authorsFollowing,omitzero" doc:"accounts the author follows"`
	AuthorsFollowers   earshot.Count      `json:"authorsFollowers,omitzero" doc:"accounts that follow the author"`
	AuthorUsername     string             `json:"authorUsername,omitempty" doc:"user name of the author"`
	AuthorProfileID    string             `json:"authorProfileId,omitempty" doc:"id of the author on the source"`
	AssignedCategoryID earshot.CategoryID `json:"assignedCategoryId" doc:"the category; 0 for none"`
	AssignedEmotionID  earshot.CategoryID `json:"assignedEmotionId" doc:"the emotion; 0 for none"`
	CategoryScores     []categoryScore    `json:"categoryScores" doc:"scores of all the monitor's categories"`
	EmotionScores      []emotionScore     `json:"emotionScores" doc:"scores of all the monitor's emotions"`
	ImageInfo          []imageInfo        `json:"imageInfo" doc:"the images and what they show"`
}

type geolocation struct {
	ID      string `json:"id" doc:"geography id like USA.CA.San Diego"`
	Name    string `json:"name" doc:"name of the place"`
	Country string `json:"country" doc:"ISO 3166 alpha-3 code"`
	State   string `json:"state,omitempty" doc:"state or province"`
	City    string `json:"city,omitempty" doc:"city"`
}

type categoryScore struct {
	CategoryID   earshot.CategoryID `json:"categoryId" doc:"id of the category"`
	CategoryName string             `json:"categoryName" doc:"name of the category"`
	Score        float64            `json:"score" doc:"from 0 to 1"`
}

type emotionScore struct {
	EmotionID   earshot.CategoryID `json:"emotionId" doc:"id of the emotion"`
	EmotionName string             `json:"emotionName" doc:"name of the emotion"`
	Score       float64            `json:"score" doc:"from 0 to 1"`
}

type imageInfo struct {
	URL     string        `json:"url" doc:"address of the image"`
	Brands  []imageBrand  `json:"brands,omitempty" doc:"logos it shows"`
	Objects []imageObject `json:"objects,omitempty" doc:"objects, scenes and actions it shows"`
}

type imageBrand struct {
	BrandID string  `json:"brandId" doc:"id of the brand"`
	Brand   string  `json:"brand" doc:"name of the brand"`
	Size    string  `json:"size" doc:"size of the logo in the image"`
	Score   float64 `json:"score" doc:"from 0 to 1"`
}

type imageObject struct {
	Score     float64 `json:"score" doc:"from 0 to 1"`
	ClassID   int64   `json:"classId" doc:"id of the class"`
	ClassName string  `json:"className" doc:"name of the class"`
}

// posts serves /api/monitor/posts.
func (a *API) posts(ctx context.Context, m *earshot.Monitor, p postsParams) (answer rest.Streamed[postsResponse], err error) {
	limit := postLimit
	if p.ExtendLimit {
		limit = extendedPostLimit
	}
	err = a.Insight.WithCategorization(ctx, m, func(sorted insight.Categorization) error {
		narrow, err := a.selection(m, p.Filter, sorted)
		if err != nil {
			return err
		}
		narrow.Geotagged = p.Geotagged
		posts, total, err := a.Insight.Posts(ctx, m, p.days(), narrow, limit)
		if err != nil {
			return err
		}
		shown := a.newShower(m, sorted)
		if !p.FullContents {
			shown.shorten(narrow.Where)
		}
		answer = shown.stream(posts, total)
		return nil
	})
	return answer, err
}

type postsOfBodyParams struct {
	postsParams
	Body filterBody `body:"json,optional"`
}

// postsOfBody serves POST /api/monitor/posts, where the setting compat allows it:
// the filter's fields come as keys of a JSON body.
func (a *API) postsOfBody(ctx context.Context, m *earshot.Monitor, p postsOfBodyParams) (answer rest.Streamed[postsResponse], err error) {
	if err := p.Body.addTo(&p.Filter); err != nil {
		return answer, err
	}
	return a.posts(ctx, m, p.postsParams)
}

// A shower shows posts of a monitor.
type shower struct {
	api     *API
	monitor *earshot.Monitor
	zone    *time.Location
	places  map[earshot.Place]*geolocation // those that were shown before: most posts are from few places
	scores  []float32                      // of the post at hand
	model   *opinion.Model                 // of an opinion monitor that has been taught; nil: none
	known   []int                          // for each category the place that it has in the model, -1 for none
	excerpt func(*earshot.Post) string     // contents to be shown; nil: all
}

func (a *API) newShower(m *earshot.Monitor, sorted insight.Categorization) *shower {
	s := &shower{api: a, monitor: m, zone: m.Location(), places: map[earshot.Place]*geolocation{}, model: sorted.Model}
	if s.model != nil {
		s.known = mapSlice(m.Categories, func(c earshot.Category) int { return slices.Index(s.model.Categories, c.ID) })
	}
	return s
}

// steadyShower is newShower with the categories that posts are sorted into now.
func (a *API) steadyShower(ctx context.Context, m *earshot.Monitor) (s *shower, err error) {
	err = a.Insight.WithCategorization(ctx, m, func(sorted insight.Categorization) error {
		s = a.newShower(m, sorted)
		return nil
	})
	return s, err
}

// show makes shown what is to be seen of p, without what its source forbids to show. The
// lists of what it was before are used again, and its texts are those of p, whose contents
// become what is shown of them.
func (s *shower) show(shown *post, p *earshot.Post) {
	shown.EngagementType, shown.Custom = p.Engagement, p.Custom
	s.showFacts(&shown.postFacts, p)
}

// showFacts is show for what posts of monitors and of streams have in common.
func (s *shower) showFacts(shown *postFacts, p *earshot.Post) {
	*shown = postFacts{
		URL:              p.URL,
		Date:             earshot.Timestamp(p.Time.In(s.zone)), // docs/decisions/0012-time-zone-of-timestamps.md
		Author:           p.Author,
		Contents:         &p.Contents,
		Title:            &p.Title,
		Type:             p.Source,
		Language:         p.Language,
		Location:         p.Location,
		Geolocation:      s.geolocation(p.Place),
		AuthorKlout:      p.Klout,
		AuthorGender:     p.Gender,
		AuthorPosts:      p.AuthorPosts,
		AuthorsFollowing: p.Following,
		AuthorsFollowers: p.Followers,
		AuthorUsername:   p.AuthorUsername,
		AuthorProfileID:  p.AuthorProfileID,
		CategoryScores:   orEmpty(shown.CategoryScores[:0]),
		EmotionScores:    orEmpty(shown.EmotionScores[:0]),
		ImageInfo:        mapSlice(p.Images, newImageInfo),
	}
	s.feel(shown, p)
	if s.excerpt != nil {
		p.Contents = s.excerpt(p)
	}
	if s.api.restricted(p.Source) {
		s.api.restrict(shown)
	}
}

// feel shows the sentiment and the emotion of a post by the names and ids that the monitor
// has for them. An opinion monitor has other categories.
func (s *shower) feel(shown *postFacts, p *earshot.Post) {
	m := s.monitor
	if top := p.Sentiment.Assigned(); top >= 0 && m.HasBasicCategories() {
		shown.AssignedCategoryID = m.Categories[top].ID
		for i, c := range m.Categories {
			shown.CategoryScores = append(shown.CategoryScores, categoryScore{c.ID, c.Name, hundredths(p.Sentiment[i])})
		}
	}
	if s.model != nil {
		s.sort(shown, p)
	}
	if top := p.Emotion.Assigned(); top >= 0 && len(m.Emotions) == len(p.Emotion) {
		shown.AssignedEmotionID = m.Emotions[top].ID
		for i, c := range m.Emotions {
			shown.EmotionScores = append(shown.EmotionScores, emotionScore{c.ID, c.Name, hundredths(p.Emotion[i])})
		}
	}
}

// sort shows how a post is sorted into the categories of an opinion monitor. Those that the
// model does not know have no score.
func (s *shower) sort(shown *postFacts, p *earshot.Post) {
	s.scores = s.model.Score(p, s.scores[:0])
	top := opinion.Argmax(s.scores)
	rounded := addUp(s.scores)
	for i, c := range s.monitor.Categories {
		share := 0.0
		if at := s.known[i]; at >= 0 {
			share = rounded[at]
			if at == top {
				shown.AssignedCategoryID = c.ID
			}
		}
		shown.CategoryScores = append(shown.CategoryScores, categoryScore{c.ID, c.Name, share})
	}
}

func hundredths(score earshot.Percent) float64 { return float64(score) / 100 }

// restrict takes out what may not be shown. docs/decisions/0010-content-restrictions.md
func (a *API) restrict(p *postFacts) {
	p.Title, p.Contents = nil, nil
	if withholdsAuthor(p.Type) {
		p.Author, p.Date = "", earshot.Timestamp{}
	}
	if a.ForClients {
		p.Title = new(string)
	}
}

func (s *shower) geolocation(p earshot.Place) *geolocation {
	if p.IsZero() {
		return nil
	}
	g, known := s.places[p]
	if !known {
		g = newGeolocation(p)
		s.places[p] = g
	}
	return g
}

func newGeolocation(p earshot.Place) *geolocation {
	g := &geolocation{ID: p.ID(), Country: p.Country, State: p.State, City: p.City}
	if item, ok := geo.Lookup(p); ok {
		g.Name = item.Name
	}
	return g
}

func newImageInfo(i earshot.Image) imageInfo {
	return imageInfo{
		URL: i.URL,
		Brands: mapSlice(i.Brands, func(b earshot.ImageBrand) imageBrand {
			return imageBrand{BrandID: b.ID, Brand: b.Name, Size: b.Size, Score: score(b.Score)}
		}),
		Objects: mapSlice(i.Objects, func(o earshot.ImageObject) imageObject {
			return imageObject{Score: score(o.Score), ClassID: o.ClassID, ClassName: o.ClassName}
		}),
	}
}
