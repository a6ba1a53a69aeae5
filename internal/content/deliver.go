package content

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/ingest/item"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// Deliver writes posts that a live source has delivered to a content source, as one journal entry
// with an origin. They count against the contract like uploaded documents. A content source has a
// limited number of custom fields; further ones are left out. It fails with [earshot.NotFound] if
// the content source was removed.
func (s *Service) Deliver(ctx context.Context, posts []earshot.Post, origin *journal.Origin) (earshot.Position, error) {
	if err := s.fitCustomFields(ctx, posts); err != nil {
		return 0, err
	}
	if err := s.guessDomains(ctx, posts); err != nil {
		return 0, err
	}
	contract, err := s.Catalog.Contract(ctx)
	if err != nil {
		return 0, err
	}
	now, n := s.Now(), int64(len(posts))
	used, err := s.Catalog.ReserveDocuments(ctx, now, n, contract.DocumentsPerDay)
	if errors.Is(err, catalog.ErrOverLimit) {
		return 0, &earshot.Error{Kind: earshot.OverLimit, RetryAfter: 10 * time.Minute,
			Message: overLimit(contract.DocumentsPerDay, used, n)}
	}
	if err != nil {
		return 0, err
	}
	at, err := s.Journal.Append(ctx, journal.Entry{Posts: posts, Origin: origin})
	if err != nil {
		_, releaseErr := s.Catalog.ReserveDocuments(context.WithoutCancel(ctx), now, -n, 0)
		return 0, errors.Join(err, releaseErr)
	}
	return at, s.deleteFromRemovedSources(context.WithoutCancel(ctx), posts)
}

// fitCustomFields adds the names of the posts' custom fields to their content source as long as
// the limit allows, and removes other fields from the posts.
func (s *Service) fitCustomFields(ctx context.Context, posts []earshot.Post) error {
	used := map[string]bool{}
	for _, p := range posts {
		for name := range p.Custom {
			used[name] = true
		}
	}
	src, ok := s.Catalog.Sources.Find(posts[0].ContentSource)
	if !ok || src.Removed {
		return earshot.NoContentSource(posts[0].ContentSource)
	}
	allowed := customNames{}
	for _, name := range slices.Concat(src.CustomFields, slices.Sorted(maps.Keys(used))) {
		if len(allowed) < item.MaxFields {
			allowed[name] = true
		}
	}
	for i := range posts {
		if slices.ContainsFunc(slices.Collect(maps.Keys(posts[i].Custom)), func(name string) bool { return !allowed[name] }) {
			posts[i].Custom = maps.Clone(posts[i].Custom)
			maps.DeleteFunc(posts[i].Custom, func(name, _ string) bool { return !allowed[name] })
		}
	}
	return s.addCustomFields(ctx, posts)
}
