package api

import (
	"context"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/rest"
)

// How many posts one call returns.
const (
	postLimit         = 500
	extendedPostLimit = 10_000
)

type postsParams struct {
	monitorRange
	Filter       postFilter `query:"filter"`
	ExtendLimit  bool       `query:"extendLimit"`
	FullContents bool       `query:"fullContents"`
	Geotagged    bool       `query:"geotagged"`
}

type postsResponse struct {
	Posts               []post       `json:"posts"`
	TotalPostsAvailable int64        `json:"totalPostsAvailable"`
	Status              rest.Success `json:"status"`
}

// A post has its text fields as pointers because restricted sources leave them
// out, which is not the same as being empty.
type post struct {
	URL                string             `json:"url,omitempty"`
	Date               *earshot.Timestamp `json:"date,omitempty"`
	Author             *string            `json:"author,omitempty"`
	Contents           *string            `json:"contents,omitempty"`
	Title              *string            `json:"title,omitempty"`
	Type               earshot.Source     `json:"type"`
	Language           string             `json:"language,omitempty"`
	Location           string             `json:"location,omitempty"`
	Geolocation        *geolocation       `json:"geolocation,omitempty"`
	AuthorKlout        earshot.Count      `json:"authorKlout,omitzero"`
	AuthorGender       earshot.Gender     `json:"authorGender,omitempty"`
	AuthorPosts        earshot.Count      `json:"authorPosts,omitzero"`
	AuthorsFollowing   earshot.Count      `json:"authorsFollowing,omitzero"`
	AuthorsFollowers   earshot.Count      `json:"authorsFollowers,omitzero"`
	AuthorUsername     string             `json:"authorUsername,omitempty"`
	AuthorProfileID    string             `json:"authorProfileId,omitempty"`
	AssignedCategoryID earshot.CategoryID `json:"assignedCategoryId"`
	AssignedEmotionID  earshot.CategoryID `json:"assignedEmotionId"`
	CategoryScores     []categoryScore    `json:"categoryScores"`
	EmotionScores      []emotionScore     `json:"emotionScores"`
	ImageInfo          []imageInfo        `json:"imageInfo"`
}

type geolocation struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Country string `json:"country"`
	State   string `json:"state,omitempty"`
	City    string `json:"city,omitempty"`
}

type categoryScore struct {
	CategoryID   earshot.CategoryID `json:"categoryId"`
	CategoryName string             `json:"categoryName"`
	Score        float64            `json:"score"`
}

type emotionScore struct {
	EmotionID   earshot.CategoryID `json:"emotionId"`
	EmotionName string             `json:"emotionName"`
	Score       float64            `json:"score"`
}

type imageInfo struct {
	URL     string        `json:"url"`
	Brands  []imageBrand  `json:"brands,omitempty"`
	Objects []imageObject `json:"objects,omitempty"`
}

type imageBrand struct {
	BrandID string  `json:"brandId"`
	Brand   string  `json:"brand"`
	Size    string  `json:"size"`
	Score   float64 `json:"score"`
}

type imageObject struct {
	Score     float64 `json:"score"`
	ClassID   int64   `json:"classId"`
	ClassName string  `json:"className"`
}

// posts serves /api/monitor/posts.
func (a *API) posts(ctx context.Context, m *earshot.Monitor, p postsParams) (postsResponse, error) {
	narrow, err := a.selection(m, p.Filter)
	if err != nil {
		return postsResponse{}, err
	}
	if p.Filter.selectsNothing(narrow) {
		return postsResponse{Posts: []post{}}, nil
	}
	narrow.Geotagged = p.Geotagged
	limit := postLimit
	if p.ExtendLimit {
		limit = extendedPostLimit
	}
	posts, total, err := a.Insight.Posts(ctx, m, p.days(), narrow, limit)
	if err != nil {
		return postsResponse{}, err
	}
	if !p.FullContents {
		a.shorten(m, posts, narrow.Where)
	}
	return postsResponse{
		Posts:               mapSlice(posts, func(p earshot.Post) post { return a.newPost(m, &p) }),
		TotalPostsAvailable: total,
	}, nil
}

type postsOfBodyParams struct {
	postsParams
	Body filterBody `body:"json,optional"`
}

// postsOfBody serves POST /api/monitor/posts, where the setting compat allows it:
// the filter's fields come as keys of a JSON body.
func (a *API) postsOfBody(ctx context.Context, m *earshot.Monitor, p postsOfBodyParams) (postsResponse, error) {
	if err := p.Body.addTo(&p.Filter); err != nil {
		return postsResponse{}, err
	}
	return a.posts(ctx, m, p.postsParams)
}

// newPost shows a post of m, without what its source forbids to show.
func (a *API) newPost(m *earshot.Monitor, p *earshot.Post) post {
	date := local(p.Time, m)
	shown := post{
		URL:              p.URL,
		Date:             &date,
		Author:           &p.Author,
		Contents:         &p.Contents,
		Title:            &p.Title,
		Type:             p.Source,
		Language:         p.Language,
		Location:         p.Location,
		Geolocation:      newGeolocation(p.Place),
		AuthorKlout:      p.Klout,
		AuthorGender:     p.Gender,
		AuthorPosts:      p.AuthorPosts,
		AuthorsFollowing: p.Following,
		AuthorsFollowers: p.Followers,
		AuthorUsername:   p.AuthorUsername,
		AuthorProfileID:  p.AuthorProfileID,
		CategoryScores:   []categoryScore{},
		EmotionScores:    []emotionScore{},
		ImageInfo:        mapSlice(p.Images, newImageInfo),
	}
	shown.feel(m, p)
	if p.Author == "" {
		shown.Author = nil
	}
	if a.restricted(p.Source) {
		a.restrict(&shown)
	}
	return shown
}

// feel shows the sentiment and the emotion of a post by the names and ids that m has for
// them. An opinion monitor has other categories, and none is assigned yet.
func (shown *post) feel(m *earshot.Monitor, p *earshot.Post) {
	if top := p.Sentiment.Assigned(); top >= 0 && m.HasBasicCategories() {
		shown.AssignedCategoryID = m.Categories[top].ID
		for i, c := range m.Categories {
			shown.CategoryScores = append(shown.CategoryScores, categoryScore{c.ID, c.Name, hundredths(p.Sentiment[i])})
		}
	}
	if top := p.Emotion.Assigned(); top >= 0 && len(m.Emotions) == len(p.Emotion) {
		shown.AssignedEmotionID = m.Emotions[top].ID
		for i, c := range m.Emotions {
			shown.EmotionScores = append(shown.EmotionScores, emotionScore{c.ID, c.Name, hundredths(p.Emotion[i])})
		}
	}
}

func hundredths(score earshot.Percent) float64 { return float64(score) / 100 }

// restrict takes out what may not be shown. docs/decisions/0010-content-restrictions.md
func (a *API) restrict(p *post) {
	p.Title, p.Contents = nil, nil
	if p.Type == earshot.Twitter {
		p.Author, p.Date = nil, nil
	}
	if a.ForClients {
		p.Title = new(string)
	}
}

func newGeolocation(p earshot.Place) *geolocation {
	if p.IsZero() {
		return nil
	}
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
