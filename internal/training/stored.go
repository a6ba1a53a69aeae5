package training

import (
	"cmp"
	"strings"
	"time"

	"earshot"
)

// NewDocument returns a stored post as a document, of which Add makes a training post. An
// error says what it lacks.
func NewDocument(p *earshot.Post) (Document, error) {
	url, date := nameOf(p), p.Time.Format(time.RFC3339Nano)
	d := Document{
		URL: &url, Title: &p.Title, Contents: &p.Contents, Author: &p.Author, Language: &p.Language, Date: &date, Type: string(p.Source),
	}
	_, err := newPost(&d)
	return d, err
}

// checkDocument returns why a stored post cannot be a training post.
func checkDocument(p *earshot.Post) error {
	_, err := NewDocument(p)
	return err
}

// TrainingID returns the id of the training post that a stored post becomes.
func TrainingID(p *earshot.Post) string {
	return (&earshot.TrainingPost{URL: nameOf(p)}).ID()
}

// nameOf returns the url that a stored post has as a training post; one that has none is known
// by its guid.
func nameOf(p *earshot.Post) string { return strings.TrimSpace(cmp.Or(p.URL, p.GUID)) }
