package enrich

import (
	"slices"
	"strings"

	"earshot"
)

// postText returns what a post says: its title, unless the contents begin with it, and its
// contents.
func postText(p *earshot.Post) string {
	switch {
	case p.Title == "" || strings.HasPrefix(p.Contents, p.Title):
		return p.Contents
	case p.Contents == "":
		return p.Title
	}
	return p.Title + "\n" + p.Contents
}

func (m *models) fillLanguage(p *earshot.Post) {
	if p.Language != "" {
		return
	}
	if p.Language, _ = m.language.Detect(postText(p)); p.Language != "" {
		p.Inferred |= earshot.InferredLanguage
	}
}

func (m *models) fillSentiment(p *earshot.Post) {
	p.Sentiment, p.Emotion = m.sentiment.Infer(postText(p), p.Language)
}

func (m *models) fillInterests(p *earshot.Post) {
	var found [16]earshot.InterestID
	p.Interests = cloneNonEmpty(m.interest.AppendPost(found[:0], postText(p), p.Hashtags, p.Mentions))
	p.AuthorInterests = cloneNonEmpty(m.interest.AppendAuthor(found[:0], p.Bio))
}

// cloneNonEmpty returns a copy of what was found, nil for nothing.
func cloneNonEmpty(found []earshot.InterestID) []earshot.InterestID {
	if len(found) == 0 {
		return nil
	}
	return append(make([]earshot.InterestID, 0, len(found)), found...)
}

// fillImages reads alternative texts, unless the post states itself what is on its images.
func (m *models) fillImages(p *earshot.Post) {
	if len(p.Images) == 0 || p.Inferred&earshot.InferredImages == 0 && showsAny(p.Images) {
		return
	}
	images := slices.Clone(p.Images) // they may be shared with the caller
	for i := range images {
		if images[i].Alt != "" {
			objects, brands := m.vision.Alt(images[i].Alt)
			images[i].Objects = addObjects(images[i].Objects, objects)
			images[i].Brands = addBrands(images[i].Brands, brands)
		}
	}
	if showsAny(images) {
		p.Images = images
		p.Inferred |= earshot.InferredImages
	}
}

// addObjects adds the objects that are not among known ones.
func addObjects(known, more []earshot.ImageObject) []earshot.ImageObject {
	known = slices.Clip(known)
	for _, o := range more {
		if !slices.ContainsFunc(known, func(k earshot.ImageObject) bool { return k.ClassID == o.ClassID }) {
			known = append(known, o)
		}
	}
	return known
}

// addBrands adds the brands that are not among known ones.
func addBrands(known, more []earshot.ImageBrand) []earshot.ImageBrand {
	known = slices.Clip(known)
	for _, b := range more {
		if !slices.ContainsFunc(known, func(k earshot.ImageBrand) bool { return k.ID == b.ID }) {
			known = append(known, b)
		}
	}
	return known
}

func showsAny(images []earshot.Image) bool {
	for i := range images {
		if len(images[i].Brands)+len(images[i].Objects) > 0 {
			return true
		}
	}
	return false
}
