package memory

import (
	"maps"
	"slices"

	"earshot"
)

// clonePost returns a copy of p that shares no mutable memory with p.
func clonePost(p *earshot.Post) earshot.Post {
	c := *p
	c.Point = clonePointer(p.Point)
	c.Rating = clonePointer(p.Rating)
	c.Hashtags = slices.Clone(p.Hashtags)
	c.Mentions = slices.Clone(p.Mentions)
	c.Links = slices.Clone(p.Links)
	c.MediaURLs = slices.Clone(p.MediaURLs)
	c.Images = slices.Clone(p.Images)
	for i := range c.Images {
		c.Images[i].Brands = slices.Clone(c.Images[i].Brands)
		c.Images[i].Objects = slices.Clone(c.Images[i].Objects)
		c.Images[i].Picture = clonePicture(c.Images[i].Picture)
	}
	c.Custom = maps.Clone(p.Custom)
	c.Cashtags = slices.Clone(p.Cashtags)
	c.Interests = slices.Clone(p.Interests)
	c.AuthorInterests = slices.Clone(p.AuthorInterests)
	return c
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func clonePicture(p *earshot.Picture) *earshot.Picture {
	c := clonePointer(p)
	if c != nil {
		c.Brands, c.Objects = slices.Clone(c.Brands), slices.Clone(c.Objects)
	}
	return c
}
