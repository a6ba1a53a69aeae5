package postview

import (
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// Corrections has what people corrected about the posts of monitors.
type Corrections interface {
	filter.Corrections

	// Find returns the correction of a post in a monitor or filter.
	Find(m *earshot.Monitor, post earshot.PostKey) (*earshot.Correction, bool)
}

// A Correction is what people corrected about a post as JSON. Fields that are not corrected are left
// out.
type Correction struct {
	Sentiment    string             `json:"sentiment,omitempty"` // positive, neutral or negative
	Emotion      string             `json:"emotion,omitempty"`   // one of earshot.BasicEmotions in lower case
	Category     earshot.CategoryID `json:"category,omitempty"`
	CategoryName string             `json:"categoryName,omitempty"`
	By           string             `json:"by"`
	Time         time.Time          `json:"time"`
}

// NewCorrection renders a correction of a post of m.
func NewCorrection(m *earshot.Monitor, c *earshot.Correction) Correction {
	return Correction{
		Sentiment: earshot.SentimentName(c.Sentiment - 1), Emotion: earshot.EmotionName(c.Emotion - 1), Category: c.Category, CategoryName: categoryName(m.Categories, c.Category),
		By: c.By, Time: c.Time,
	}
}

// corrections returns the corrections of a monitor or filter, or nil.
func (s *Service) corrections(m *earshot.Monitor) *poststore.Corrections {
	if s.Corrections == nil {
		return nil
	}
	return s.Corrections.For(m.ID)
}

// correctedCategory returns the category that a post of an opinion monitor is corrected to, or 0.
func (r *Renderer) correctedCategory(p *earshot.Post) earshot.CategoryID {
	if !r.corrections.HasCategories() {
		return 0
	}
	return r.corrections.Of(p.Key()).Category
}

// correction returns what people corrected about a post, or nil.
func (r *Renderer) correction(p *earshot.Post) *Correction {
	if !r.Marks || r.corrections == nil {
		return nil
	}
	c, ok := r.service.Corrections.Find(r.Monitor, p.Key())
	if !ok {
		return nil
	}
	shown := NewCorrection(r.Monitor, c)
	return &shown
}
