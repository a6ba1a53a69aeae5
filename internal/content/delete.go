package content

import (
	"context"
	"iter"

	"earshot"
	"earshot/internal/ingest/item"
	"earshot/internal/state/journal"
)

// Remove deletes documents of a content source: all documents of a batch, the listed ones, or, if
// both are given, the listed documents of the batch. It succeeds when the deletion is in the
// journal. Listed documents that do not exist are ignored.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, d earshot.Deletion) error {
	if _, err := s.FindSource(c, d.ContentSource); err != nil {
		return err
	}
	if d.Batch == "" && len(d.GUIDs)+len(d.URLs) == 0 {
		return earshot.InvalidBody("name the documents to delete: parameter batch, or items with guid or url")
	}
	// Normalize the keys as uploads do, so that they match.
	for _, list := range [][]string{d.GUIDs, d.URLs} {
		for i := range list {
			list[i] = item.Key(list[i])
		}
	}
	for part := range splitDeletion(d) {
		if err := s.removeDocuments(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// splitDeletion splits a deletion so that each part fits into a journal entry. Deletions are
// idempotent, so the caller can repeat one that failed halfway.
func splitDeletion(d earshot.Deletion) iter.Seq[earshot.Deletion] {
	return func(yield func(earshot.Deletion) bool) {
		for {
			part := d
			part.GUIDs = d.GUIDs[:min(len(d.GUIDs), MaxItems)]
			part.URLs = d.URLs[:min(len(d.URLs), MaxItems)]
			d.GUIDs, d.URLs = d.GUIDs[len(part.GUIDs):], d.URLs[len(part.URLs):]
			if !yield(part) || len(d.GUIDs)+len(d.URLs) == 0 {
				return
			}
		}
	}
}

func (s *Service) removeDocuments(ctx context.Context, d earshot.Deletion) error {
	_, err := s.Journal.Append(ctx, journal.Entry{Deletion: &d})
	return err
}
