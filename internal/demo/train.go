package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/model/training"
)

// Reasons is the name of the opinion monitor.
const Reasons = "Why people choose a machine"

// A trainingSet contains the posts that an analyst would assign to a category: posts with one of
// the set's phrases and with none of another set's.
type trainingSet struct {
	category string
	phrases  []string
	posts    []earshot.Post
}

// newTrainingSets returns the training sets of the opinion monitor, without posts.
func newTrainingSets() []trainingSet {
	return []trainingSet{
		{category: "Taste", phrases: []string{"I have had at home", "that beats the café", "this morning and it was", "tastes of plastic", "would not drink", "a proper", "Which setting do you use for", "mostly for"}},
		{category: "Price", phrases: []string{"every penny", "for that price", "on sale", "a fortune", "money back", "charge that much", "rip-off", "a refund", "saved for months", "take my money"}},
		{category: "Reliability", phrases: []string{"breaks", "died", "flooded", "error lights", "broke on", "gave up", "never worked", "sparking", "scared", "leaks onto",
			"Is it safe", "loud bang", "steam comes", "overheated", "catch fire", "Unplug", "fires", "burnt", "survived", "still works"}},
		{category: "Service", phrases: []string{"support", "service", "five emails", "hotline", "does not answer", "No answer", "cancelled my order", "apologises", "for free", "recall page"}},
		{category: "Off-topic", phrases: []string{"opened a shop", "publishes its results", "Reading about", "Is there an app", "raffle", "close the shop", "The queue", "at the office and", "five year guarantee"}},
	}
}

// maxSetPosts is the maximum number of posts in a set, about what an analyst labels in an hour.
const maxSetPosts = 30

// label adds a post to the set that it belongs to.
func label(sets []trainingSet, p *earshot.Post) {
	if p.Language != "en" && p.Language != "EN" || p.Engagement != earshot.OriginalPost || !slices.ContainsFunc(brands, func(b brand) bool { return strings.Contains(p.Contents, b.name) }) {
		return
	}
	match := -1
	for i := range sets {
		if !slices.ContainsFunc(sets[i].phrases, func(phrase string) bool { return strings.Contains(p.Contents, phrase) }) {
			continue
		}
		if match >= 0 {
			return // ambiguous, so it is an example of neither
		}
		match = i
	}
	if match < 0 {
		return
	}
	set := &sets[match]
	if len(set.posts) < maxSetPosts && !slices.ContainsFunc(set.posts, func(o earshot.Post) bool { return o.Contents == p.Contents }) {
		set.posts = append(set.posts, *p)
	}
}

// train adds training posts to the opinion monitor, unless there are too few, and waits until its
// posts are categorized.
func (w World) train(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, sets []trainingSet) error {
	if slices.ContainsFunc(sets, func(l trainingSet) bool { return len(l.posts) < earshot.MinTrainingPosts }) {
		return nil
	}
	for _, l := range sets {
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
	case <-w.Training.Rematcher.Rematch(m.ID): // a model must be ready for the first request
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func document(p *earshot.Post) training.Document {
	date := p.Time.UTC().Format(time.RFC3339)
	return training.Document{URL: &p.URL, Title: &p.Title, Contents: &p.Contents, Author: &p.Author, Language: &p.Language, Date: &date, Type: string(p.Source)}
}
