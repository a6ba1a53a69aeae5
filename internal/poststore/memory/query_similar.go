package memory

import (
	"context"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// Similar implements [poststore.Reader].
func (s *Store) Similar(ctx context.Context, of poststore.Selection, word string, edits, limit int) ([]poststore.Spelling, error) {
	plain, err := enginekit.CheckSimilar(word, edits, limit)
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	posts := map[string]int64{}
	var doc query.Document
	for e, err := range s.scan(ctx, &of) {
		if err != nil {
			return nil, err
		}
		doc.Reset(&e.post)
		enginekit.WalkPlain(&doc, func(word string) { posts[word]++ })
	}
	var all []poststore.Spelling
	for word, n := range posts {
		if distance := query.Edits(plain, word); distance <= edits {
			all = append(all, poststore.Spelling{Word: word, Edits: distance, Posts: n})
		}
	}
	return enginekit.FirstSpellings(all, limit), nil
}
