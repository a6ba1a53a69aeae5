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

// A trainingSet holds the training posts of a monitor in the order in which they were added.
type trainingSet struct {
	posts    []earshot.TrainingPost
	index    map[string]int                // URL -> index in posts; built by the first put
	previous map[string]earshot.CategoryID // URL -> category before its first put, or 0
}

// maxTextBytes limits the size of a monitor's training posts as JSON, because they are read and
// written as a whole.
const maxTextBytes = 64 << 20

// put adds a post, or replaces the post with the same URL. It returns the category that the URL had
// before its first put, or 0, and whether the URL was put before.
func (set *trainingSet) put(p earshot.TrainingPost) (previous earshot.CategoryID, again bool) {
	if set.index == nil {
		set.index, set.previous = make(map[string]int, len(set.posts)), map[string]earshot.CategoryID{}
		for i := range set.posts {
			set.index[set.posts[i].URL] = i
		}
	}
	previous, again = set.previous[p.URL]
	if i, ok := set.index[p.URL]; ok {
		if !again {
			previous = set.posts[i].Category
		}
		set.posts[i] = p
	} else {
		set.index[p.URL] = len(set.posts)
		set.posts = append(set.posts, p)
	}
	set.previous[p.URL] = previous
	return previous, again
}

// find returns the index of the post with the given id, or -1.
func (set *trainingSet) find(id string) int {
	return slices.IndexFunc(set.posts, func(p earshot.TrainingPost) bool { return p.ID() == id })
}

// count sets the number of training posts of each category.
func (set *trainingSet) count(categories []earshot.Category) {
	posts := map[earshot.CategoryID]int{}
	for i := range set.posts {
		posts[set.posts[i].Category]++
	}
	for i := range categories {
		categories[i].TrainingDocs = posts[categories[i].ID]
	}
}

func (set *trainingSet) checkSize() error {
	if len(set.posts) > earshot.MaxTrainingPosts {
		return errTooLarge
	}
	return nil
}

var errTooLarge = earshot.Errorf(earshot.Invalid, "A monitor can have at most %d training posts with %d MB of text; remove the less useful ones first", earshot.MaxTrainingPosts, maxTextBytes>>20)

// readLatest is like read, but allows the training posts to change concurrently.
func (s *Service) readLatest(ctx context.Context, m *earshot.Monitor) (*trainingSet, error) {
	for {
		set, err := s.read(ctx, m)
		if !errors.Is(err, catalog.ErrNotFound) {
			return set, err
		}
		id := m.ID
		if m.Parent != 0 {
			id = m.Parent
		}
		now, missing := s.Catalog.Monitors.Refresh(ctx, id)
		if missing != nil || now.Training.Documents == m.Training.Documents {
			return nil, err
		}
		m = now
	}
}

// read returns the training posts of a monitor, excluding those of removed categories.
func (s *Service) read(ctx context.Context, m *earshot.Monitor) (*trainingSet, error) {
	set, err := s.readStored(ctx, m)
	if err != nil {
		return nil, err
	}
	set.posts = slices.DeleteFunc(set.posts, func(p earshot.TrainingPost) bool { return findCategory(m, p.Category) == nil })
	return set, nil
}

// readStored returns the training posts of a monitor, including those of removed categories.
func (s *Service) readStored(ctx context.Context, m *earshot.Monitor) (*trainingSet, error) {
	set := &trainingSet{posts: []earshot.TrainingPost{}}
	if m.Training.Documents == 0 {
		return set, nil
	}
	data, err := s.Catalog.FindBlob(ctx, m.Training.Documents)
	if err == nil {
		set.posts, err = decode(data)
	}
	if err != nil {
		return nil, fmt.Errorf("read training posts of monitor %d: %w", m.ID, err)
	}
	return set, nil
}

var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(512<<20))
)

// encode returns the stored form of the posts: zstd-compressed JSON with Go's field names. It fails
// if the JSON exceeds maxTextBytes.
func (set *trainingSet) encode() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(set.posts); err != nil {
		return nil, err
	}
	if text.Len() > maxTextBytes {
		return nil, errTooLarge
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
