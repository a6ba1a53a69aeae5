package training

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"earshot"
	"earshot/internal/state/catalog"
)

// A lesson is the training posts of a monitor, in the order in which they came.
type lesson struct {
	posts []earshot.TrainingPost
	urls  map[string]int                // places
	fresh map[string]earshot.CategoryID // of what was put: where it was before, 0: nowhere
}

// mostBytes bounds what a monitor's training posts take as text.
const mostBytes = 64 << 20

// put adds a post, or puts it in the place of the one with its url. It returns the category that
// one was in before anything was put, 0 for none, and whether one was put there before.
func (l *lesson) put(p earshot.TrainingPost) (before earshot.CategoryID, again bool) {
	if l.urls == nil {
		l.urls, l.fresh = make(map[string]int, len(l.posts)), map[string]earshot.CategoryID{}
		for i := range l.posts {
			l.urls[l.posts[i].URL] = i
		}
	}
	before, again = l.fresh[p.URL]
	if at, known := l.urls[p.URL]; known {
		if !again {
			before = l.posts[at].Category
		}
		l.posts[at] = p
	} else {
		l.urls[p.URL] = len(l.posts)
		l.posts = append(l.posts, p)
	}
	l.fresh[p.URL] = before
	return before, again
}

// find returns the place of the post with an id, -1 when there is none.
func (l *lesson) find(id string) int {
	return slices.IndexFunc(l.posts, func(p earshot.TrainingPost) bool { return p.ID() == id })
}

// count sets how many training posts categories have.
func (l *lesson) count(categories []earshot.Category) {
	posts := map[earshot.CategoryID]int{}
	for i := range l.posts {
		posts[l.posts[i].Category]++
	}
	for i := range categories {
		categories[i].TrainingDocs = posts[categories[i].ID]
	}
}

func (l *lesson) checkSize() error {
	if len(l.posts) > earshot.MaxTrainingPosts {
		return errTooMuch
	}
	return nil
}

var errTooMuch = earshot.Errorf(earshot.Invalid, "A monitor may have %d training posts with %d MB of text; remove some that are of little use first", earshot.MaxTrainingPosts, mostBytes>>20)

// readNow is read of a monitor whose training posts others may change meanwhile.
func (s *Service) readNow(ctx context.Context, m *earshot.Monitor) (*lesson, error) {
	for {
		l, err := s.read(ctx, m)
		if !errors.Is(err, catalog.ErrNotFound) {
			return l, err
		}
		id := m.ID
		if m.Parent != 0 {
			id = m.Parent
		}
		now, ok := s.Catalog.Monitors.Find(id)
		if !ok || now.Training.Documents == m.Training.Documents {
			return nil, err
		}
		m = now
	}
}

// read returns the training posts of a monitor, without those of categories that are gone.
func (s *Service) read(ctx context.Context, m *earshot.Monitor) (*lesson, error) {
	l := &lesson{posts: []earshot.TrainingPost{}}
	if m.Training.Documents == 0 {
		return l, nil
	}
	data, err := s.Catalog.FindBlob(ctx, m.Training.Documents)
	if err == nil {
		l.posts, err = decode(data)
	}
	if err != nil {
		return nil, fmt.Errorf("read training posts of monitor %d: %w", m.ID, err)
	}
	l.posts = slices.DeleteFunc(l.posts, func(p earshot.TrainingPost) bool { return findCategory(m, p.Category) == nil })
	return l, nil
}

var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(512<<20))
)

// encode returns the posts as they are stored: JSON under Go's field names, compressed. It
// fails when they are too much.
func (l *lesson) encode() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(l.posts); err != nil {
		return nil, err
	}
	if text.Len() > mostBytes {
		return nil, errTooMuch
	}
	return encoder.EncodeAll(text.Bytes(), nil), nil
}

func decode(data []byte) (posts []earshot.TrainingPost, err error) {
	text, err := decoder.DecodeAll(data, nil)
	if err != nil {
		return nil, err
	}
	return posts, json.Unmarshal(text, &posts)
}
