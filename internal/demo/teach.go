package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/training"
)

// Reasons is the name of the opinion monitor.
const Reasons = "Why people choose a machine"

// A lesson is what an analyst would put into a category: posts that say one of these, and
// nothing of another lesson.
type lesson struct {
	category string
	phrases  []string
	posts    []earshot.Post
}

// newLessons returns the lessons of the opinion monitor, without posts.
func newLessons() []lesson {
	return []lesson{
		{category: "Taste", phrases: []string{"I have had at home", "that beats the café", "this morning and it was", "tastes of plastic", "would not drink", "a proper", "Which setting do you use for", "mostly for"}},
		{category: "Price", phrases: []string{"every penny", "for that price", "on sale", "a fortune", "money back", "charge that much", "rip-off", "a refund", "saved for months", "take my money"}},
		{category: "Reliability", phrases: []string{"breaks", "died", "flooded", "error lights", "broke on", "gave up", "never worked", "sparking", "scared", "leaks onto",
			"Is it safe", "loud bang", "steam comes", "overheated", "catch fire", "Unplug", "fires", "burnt", "survived", "still works"}},
		{category: "Service", phrases: []string{"support", "service", "five emails", "hotline", "does not answer", "No answer", "cancelled my order", "apologises", "for free", "recall page"}},
		{category: "Off-topic", phrases: []string{"opened a shop", "publishes its results", "Reading about", "Is there an app", "raffle", "close the shop", "The queue", "at the office and", "five year guarantee"}},
	}
}

// How many posts a lesson has: an analyst's hour.
const lessonPosts = 30

// note adds a post to the lesson that it belongs to.
func note(lessons []lesson, p *earshot.Post) {
	if p.Language != "en" && p.Language != "EN" || p.Engagement != earshot.OriginalPost || !slices.ContainsFunc(brands, func(b brand) bool { return strings.Contains(p.Contents, b.name) }) {
		return
	}
	belongs := -1
	for i := range lessons {
		if !slices.ContainsFunc(lessons[i].phrases, func(phrase string) bool { return strings.Contains(p.Contents, phrase) }) {
			continue
		}
		if belongs >= 0 {
			return // two things at once teach neither
		}
		belongs = i
	}
	if belongs < 0 {
		return
	}
	l := &lessons[belongs]
	if len(l.posts) < lessonPosts && !slices.ContainsFunc(l.posts, func(o earshot.Post) bool { return o.Contents == p.Contents }) {
		l.posts = append(l.posts, *p)
	}
}

// teach gives the opinion monitor its training posts, unless there are too few posts for that,
// and waits until it has learnt from them.
func (w World) teach(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, lessons []lesson) error {
	if slices.ContainsFunc(lessons, func(l lesson) bool { return len(l.posts) < earshot.MinTrainingPosts }) {
		return nil
	}
	for _, l := range lessons {
		i := slices.IndexFunc(m.Categories, func(c earshot.Category) bool { return c.Name == l.category })
		if i < 0 || m.Categories[i].TrainingDocs > 0 {
			continue
		}
		docs := make([]training.Document, len(l.posts))
		for n := range l.posts {
			docs[n] = document(&l.posts[n])
		}
		if _, err := w.Training.Add(ctx, c, m.ID, m.Categories[i].ID, docs); err != nil {
			return fmt.Errorf("%s: %w", l.category, err)
		}
	}
	select {
	case <-w.Training.Matcher.Rematch(m.ID): // the first question is to be answered
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func document(p *earshot.Post) training.Document {
	date := p.Time.UTC().Format(time.RFC3339)
	return training.Document{URL: &p.URL, Title: &p.Title, Contents: &p.Contents, Author: &p.Author, Language: &p.Language, Date: &date, Type: string(p.Source)}
}
