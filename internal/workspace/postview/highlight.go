package postview

import (
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/jsonvalue"
	"earshot/internal/model/interest"
	"earshot/internal/query"
)

// A HighlightedPost is a post of a monitor as the web app shows it.
type HighlightedPost struct {
	Key string `json:"key"`
	Post
	Excerpt    bool           `json:"excerpt"` // contents are an excerpt
	Highlights TextHighlights `json:"marks"`
	Likes      earshot.Count  `json:"likes,omitzero"`
	Shares     earshot.Count  `json:"shares,omitzero"`
	Comments   earshot.Count  `json:"comments,omitzero"`
	Replies    earshot.Count  `json:"replies,omitzero"`
	Retweets   earshot.Count  `json:"retweets,omitzero"`
	Country    string         `json:"countryName,omitempty"` // of the place
	Hashtags   []string       `json:"hashtags"`
	Interests  []Interest     `json:"interests,omitempty"`
	Inferred   []string       `json:"inferred"`
	Copies     int64          `json:"copies,omitempty"` // posts in its group of duplicates; 0: not grouped
	Mark       *Mark          `json:"mark,omitempty"`   // what the team keeps about it

	Correction *Correction `json:"correction,omitempty"` // what the team corrected

	Pictures []PostPicture `json:"pictures,omitempty"` // images that have been looked at
}

// HideInferred removes what models say about the post.
func (p *HighlightedPost) HideInferred() {
	p.AssignedCategoryID, p.AssignedEmotionID, p.CategoryScores, p.EmotionScores, p.Interests = 0, 0, nil, nil, nil
}

// An Interest is what a post is about or, with Author, what its author says about themselves.
type Interest struct {
	ID     earshot.InterestID `json:"id"`
	Name   string             `json:"name"`
	Author bool               `json:"author,omitempty"`
}

// Interests renders the interests of a post, then those that only its author has. Interests that this version
// does not know are left out.
func Interests(p *earshot.Post) (list []Interest) {
	add := func(ids []earshot.InterestID, author bool) {
		for _, id := range ids {
			if in, known := interest.Lookup(id); known && !slices.ContainsFunc(list, func(x Interest) bool { return x.ID == id }) {
				list = append(list, Interest{id, in.Name, author})
			}
		}
	}
	add(p.Interests, false)
	add(p.AuthorInterests, true)
	return list
}

// A PostPicture is a picture with a thumbnail at /manage/v1/pictures/{hash}. The thumbnail may have
// been removed.
type PostPicture struct {
	Image  int    `json:"image"` // index in imageInfo
	Hash   string `json:"hash"`
	Width  int    `json:"width"` // of the original, in pixels
	Height int    `json:"height"`
}

// NewPicture renders a picture.
func NewPicture(p *earshot.Picture) PostPicture {
	return PostPicture{Hash: p.Hash, Width: p.Width, Height: p.Height}
}

// TextHighlights are the positions of matched words, in UTF-16 code units of the title and contents
// as sent.
type TextHighlights struct {
	Title    Ranges `json:"title"`
	Contents Ranges `json:"contents"`
}

// Ranges are pairs of a start and an exclusive end, for example [[0,6],[12,18]].
type Ranges [][2]int

// AppendJSON implements rest.Appender.
func (list Ranges) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i, r := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, '['), int64(r[0]), 10)
		b = strconv.AppendInt(append(b, ','), int64(r[1]), 10)
		b = append(b, ']')
	}
	return append(b, ']')
}

// Highlight renders a post and highlights what the monitor and the refinement match. The result
// shares strings and slices with p.
func (r *Renderer) Highlight(p *earshot.Post) *HighlightedPost {
	out := &HighlightedPost{
		Key:      p.Key().Text(),
		Likes:    p.Likes,
		Shares:   p.Shares,
		Comments: p.Comments,
		Replies:  p.Replies,
		Retweets: p.Retweets,
		Hashtags: jsonvalue.OrEmpty(p.Hashtags),
		Inferred: []string{},
		Mark:     r.mark(p),

		Correction: r.correction(p),
	}
	for _, attribute := range []struct {
		flag earshot.Inferred
		name string
	}{
		{earshot.InferredLanguage, "language"}, {earshot.InferredGender, "gender"},
		{earshot.InferredPlace, "place"}, {earshot.InferredImages, "images"},
	} {
		if p.Inferred&attribute.flag != 0 {
			out.Inferred = append(out.Inferred, attribute.name)
		}
	}
	out.EngagementType, out.Custom = p.Engagement, p.Custom
	r.renderFacts(&out.Facts, p)
	if country, ok := geo.Lookup(earshot.Place{Country: p.Place.Country}); ok {
		out.Country = country.Name
	}
	for i := range p.Images {
		if found := p.Images[i].Picture; found != nil && !r.service.IsRestricted(p.Source) {
			shown := NewPicture(found)
			shown.Image = i
			out.Pictures = append(out.Pictures, shown)
		}
	}
	if out.Contents == nil {
		out.Hashtags = []string{} // hashtags are words of the text, which is restricted, and interests say what it is about
		return out
	}
	spans := r.spans(p)
	out.Interests = Interests(p)
	out.Highlights.Title = query.Highlights(p.Title, true, spans)
	if r.Excerpts && !query.Fits(p.Contents, excerptLength) {
		excerpt := query.NewExcerpt(p.Contents, spans, excerptLength)
		out.Contents, out.Excerpt = &excerpt.Text, true
		spans = excerpt.MapSpans(spans)
	}
	out.Highlights.Contents = query.Highlights(*out.Contents, false, spans)
	return out
}
