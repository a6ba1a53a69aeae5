package manage

import (
	"context"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/patch"
	"earshot/internal/workspace/correction"
	"earshot/internal/workspace/postview"
)

// A correctionBody replaces the correction of a post. Fields that are left out are not corrected.
type correctionBody struct {
	Sentiment string    `json:"sentiment"` // positive, neutral or negative
	Emotion   string    `json:"emotion"`
	Category  rest.Text `json:"category"` // ID or name, of an opinion monitor
}

// values returns what the body says about a post of m.
func (b correctionBody) values(m *earshot.Monitor) (v correction.Values, err error) {
	if b.Sentiment != "" {
		index := earshot.FindSentiment(b.Sentiment)
		if index < 0 {
			return v, earshot.InvalidBody("sentiment must be positive, neutral or negative")
		}
		v.Sentiment = index + 1
	}
	if b.Emotion != "" {
		index := earshot.FindEmotion(b.Emotion)
		if index < 0 {
			return v, earshot.InvalidBody("emotion must be one of %s", strings.ToLower(strings.Join(earshot.BasicEmotions, ", ")))
		}
		v.Emotion = index + 1
	}
	if b.Category.Presence == rest.Given {
		v.Category, err = findCategory(m, b.Category.Value)
	}
	return v, err
}

// correctedPost returns a monitor or filter that the caller may see, and one of its posts.
func (a *API) correctedPost(ctx context.Context, c *earshot.Caller, p postPath) (*earshot.Monitor, *earshot.Post, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return nil, nil, err
	}
	post, err := a.findPost(ctx, m, p.Key)
	return m, post, err
}

// A correctionChange changes the correction of a post. Fields that are left out stay as they are. Empty
// ones are no longer corrected.
type correctionChange struct {
	Sentiment *string    `json:"sentiment"`
	Emotion   *string    `json:"emotion"`
	Category  *rest.Text `json:"category"`
}

// change returns what the body changes about the correction of a post of m.
func (b correctionChange) change(m *earshot.Monitor) (func(*correction.Values), error) {
	var given correctionBody
	patch.Set(&given.Sentiment, b.Sentiment)
	patch.Set(&given.Emotion, b.Emotion)
	if b.Category != nil && b.Category.Value != "" {
		given.Category = *b.Category
	}
	values, err := given.values(m)
	return func(to *correction.Values) {
		if b.Sentiment != nil {
			to.Sentiment = values.Sentiment
		}
		if b.Emotion != nil {
			to.Emotion = values.Emotion
		}
		if b.Category != nil {
			to.Category = values.Category
		}
	}, err
}

// editCorrection serves PATCH /manage/v1/monitors/{id}/posts/{key}/correction.
func (a *API) editCorrection(ctx context.Context, c *earshot.Caller, p struct {
	postPath
	Body correctionChange `body:"json"`
}) (postview.Correction, error) {
	m, post, err := a.correctedPost(ctx, c, p.postPath)
	if err != nil {
		return postview.Correction{}, err
	}
	change, err := p.Body.change(m)
	if err != nil {
		return postview.Correction{}, err
	}
	edited, err := a.Corrections.Edit(ctx, c, m, post, change)
	if err != nil {
		return postview.Correction{}, err
	}
	return postview.NewCorrection(m, edited), nil
}

// setCorrection serves PUT /manage/v1/monitors/{id}/posts/{key}/correction.
func (a *API) setCorrection(ctx context.Context, c *earshot.Caller, p struct {
	postPath
	Body correctionBody `body:"json"`
}) (postview.Correction, error) {
	m, post, err := a.correctedPost(ctx, c, p.postPath)
	if err != nil {
		return postview.Correction{}, err
	}
	values, err := p.Body.values(m)
	if err != nil {
		return postview.Correction{}, err
	}
	set, err := a.Corrections.Set(ctx, c, m, post, values)
	if err != nil {
		return postview.Correction{}, err
	}
	return postview.NewCorrection(m, set), nil
}

// removeCorrection serves DELETE /manage/v1/monitors/{id}/posts/{key}/correction. It also removes the
// correction of a post that the monitor no longer has.
func (a *API) removeCorrection(ctx context.Context, c *earshot.Caller, p postPath) (rest.NoContent, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return rest.NoContent{}, err
	}
	key, err := parsePostKey(p.Key)
	if err != nil {
		return rest.NoContent{}, err
	}
	return rest.NoContent{}, a.Corrections.Remove(ctx, c, m, key)
}

// A listedCorrection is a correction with the key of its post.
type listedCorrection struct {
	Post string `json:"post"`
	postview.Correction
}

// listCorrections serves GET /manage/v1/monitors/{id}/corrections. It leaves out corrections of posts
// that the monitor no longer has, so a page may have fewer items than requested.
func (a *API) listCorrections(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	pageParams
}) (page[listedCorrection], error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return page[listedCorrection]{}, err
	}
	found, err := paginate(p.pageParams, a.Corrections.List(m), func(c *earshot.Correction) int64 { return int64(c.ID) },
		func(c *earshot.Correction) *earshot.Correction { return c })
	if err != nil {
		return page[listedCorrection]{}, err
	}
	stored, err := a.Corrections.Stored(ctx, m, found.Items)
	if err != nil {
		return page[listedCorrection]{}, err
	}
	response := page[listedCorrection]{Next: found.Next}
	for _, c := range found.Items {
		if stored[c.Post] != nil {
			response.Items = append(response.Items, listedCorrection{c.Post.Text(), postview.NewCorrection(m, c)})
		}
	}
	return response, nil
}
