package content

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/ingest/item"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// An Upload is a request to add documents.
type Upload struct {
	Source earshot.ContentSourceID // 0: the old format, in which each item's Type names the source
	Batch  string                  // empty: Earshot assigns one
	Items  []item.Item
}

// An UploadResult describes a successful upload. Used is the number of documents uploaded in the
// last 24 hours, including this upload. Contracted is the maximum, or [earshot.Unlimited].
type UploadResult struct {
	Count      int
	Batch      string
	Used       int64
	Contracted int64
}

// Upload stores all documents of a request or none. A document whose guid is already stored
// replaces the stored one. The documents are in the journal when Upload returns.
func (s *Service) Upload(ctx context.Context, c *earshot.Caller, u Upload) (UploadResult, error) {
	if err := checkItemCount(len(u.Items)); err != nil {
		return UploadResult{}, err
	}
	if len(u.Batch) > item.MaxText {
		return UploadResult{}, earshot.InvalidParameter("batch", u.Batch, "at most 2048 characters")
	}
	sources, err := s.sourcesOfItems(c, &u)
	if err != nil {
		return UploadResult{}, err
	}
	if u.Batch == "" {
		u.Batch = rand.Text()
	}
	posts, err := u.posts(sources)
	if err != nil {
		return UploadResult{}, err
	}
	return s.append(ctx, u.Batch, posts)
}

// checkItemCount returns an error unless a request may contain n documents.
func checkItemCount(n int) error {
	if n == 0 {
		return earshot.InvalidBody("items must list at least one document")
	}
	if n > MaxItems {
		return TooManyItems(n)
	}
	return nil
}

// TooManyItems returns the error for a request with too many documents.
func TooManyItems(n int) error {
	return earshot.Errorf(earshot.TooLarge, "The request has %d documents; send at most %d in one request", n, MaxItems)
}

// sourcesOfItems returns the content source of each item.
func (s *Service) sourcesOfItems(c *earshot.Caller, u *Upload) ([]*earshot.ContentSource, error) {
	sources := make([]*earshot.ContentSource, len(u.Items))
	if u.Source != 0 {
		src, err := s.FindSource(c, u.Source)
		for i := range sources {
			sources[i] = src
		}
		return sources, err
	}
	for i, it := range u.Items {
		src, err := s.findSourceByName(c, it.Type)
		if err != nil {
			return nil, earshot.InvalidBody("items[%d].type %v", i, err)
		}
		sources[i] = src
	}
	return sources, nil
}

// findSourceByName returns the content source with the given name that belongs to one of the
// caller's teams.
func (s *Service) findSourceByName(c *earshot.Caller, name string) (*earshot.ContentSource, error) {
	if name == "" {
		return nil, errors.New("is missing")
	}
	var found *earshot.ContentSource
	for _, src := range s.Catalog.Sources.List() {
		if !c.In(src.Team) || src.Removed || !strings.EqualFold(src.Name, strings.TrimSpace(name)) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("'%s' is the name of several content sources; use documentType", item.Clip(name))
		}
		found = src
	}
	if found == nil {
		return nil, fmt.Errorf("'%s' is not a content source of your teams", item.Clip(name))
	}
	return found, nil
}

// posts validates every item and converts it to a post. It returns the first problem it finds.
func (u *Upload) posts(sources []*earshot.ContentSource) ([]earshot.Post, error) {
	posts := make([]earshot.Post, len(u.Items))
	seen := make(uniqueDocuments, len(u.Items))
	for i := range u.Items {
		p, problem := seen.check(i, &u.Items[i], sources[i])
		if problem != "" {
			return nil, earshot.InvalidBody("items[%d].%s", i, problem)
		}
		p.Batch = u.Batch
		posts[i] = p
	}
	return posts, nil
}

// addCustomFields adds the names of the posts' custom fields to their content sources, up to
// item.MaxFields per source.
func (s *Service) addCustomFields(ctx context.Context, posts []earshot.Post) error {
	names := map[earshot.ContentSourceID]map[string]bool{}
	for _, p := range posts {
		for name := range p.Custom {
			if names[p.ContentSource] == nil {
				names[p.ContentSource] = map[string]bool{}
			}
			names[p.ContentSource][name] = true
		}
	}
	for id, used := range names {
		src, ok := s.Catalog.Sources.Find(id)
		if !ok {
			return earshot.NoContentSource(id)
		}
		for _, known := range src.CustomFields {
			delete(used, known)
		}
		if len(used) == 0 {
			continue
		}
		_, err := s.Catalog.Sources.Update(ctx, id, func(src *earshot.ContentSource) error {
			all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(src.CustomFields, slices.Collect(maps.Keys(used))))))
			if len(all) > item.MaxFields {
				return earshot.InvalidBody("custom fields: content source '%s' would have %d different names (%s), at most %d are allowed",
					src.Name, len(all), item.Clip(strings.Join(all, ", ")), item.MaxFields)
			}
			src.CustomFields = all
			return nil
		})
		if errors.Is(err, catalog.ErrNotFound) {
			return earshot.NoContentSource(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// append counts the documents against the contract and writes them. If the write fails, it releases
// the quota.
func (s *Service) append(ctx context.Context, batch string, posts []earshot.Post) (UploadResult, error) {
	contract, err := s.Catalog.Contract(ctx)
	if err != nil {
		return UploadResult{}, err
	}
	now, n, limit := s.Now(), int64(len(posts)), contract.DocumentsPerDay
	used, err := s.Catalog.ReserveDocuments(ctx, now, n, limit)
	if errors.Is(err, catalog.ErrOverLimit) {
		return UploadResult{}, &earshot.Error{Kind: earshot.OverLimit, RetryAfter: 10 * time.Minute,
			Message: overLimit(limit, used, n)}
	}
	if err != nil {
		return UploadResult{}, err
	}
	if err := s.write(ctx, posts); err != nil {
		_, releaseErr := s.Catalog.ReserveDocuments(context.WithoutCancel(ctx), now, -n, 0)
		return UploadResult{}, errors.Join(err, releaseErr)
	}
	if limit == 0 {
		limit = earshot.Unlimited
	}
	return UploadResult{Count: len(posts), Batch: batch, Used: used, Contracted: limit}, nil
}

// overLimit returns the message for documents that the contract does not allow. used includes them.
func overLimit(limit, used, n int64) string {
	return fmt.Sprintf("The contract allows %d documents in 24 hours, %d were uploaded and %d more do not fit; nothing was taken. Try again later", limit, used-n, n)
}

// write appends posts of content sources to the journal. It returns an error if a source was
// removed concurrently.
func (s *Service) write(ctx context.Context, posts []earshot.Post) error {
	if err := s.addCustomFields(ctx, posts); err != nil {
		return err
	}
	if err := s.guessDomains(ctx, posts); err != nil {
		return err
	}
	if _, err := s.Journal.Append(ctx, journal.Entry{Posts: posts}); err != nil {
		return err
	}
	return s.deleteFromRemovedSources(context.WithoutCancel(ctx), posts)
}

// deleteFromRemovedSources handles the case in which a content source was removed while posts were
// being written to it: it deletes them and returns an error.
func (s *Service) deleteFromRemovedSources(ctx context.Context, posts []earshot.Post) error {
	checked := map[earshot.ContentSourceID]bool{}
	for _, p := range posts {
		if checked[p.ContentSource] {
			continue
		}
		checked[p.ContentSource] = true
		removed, err := s.isRemoved(ctx, p.ContentSource)
		if err != nil {
			return err
		}
		if removed {
			return errors.Join(earshot.NoContentSource(p.ContentSource),
				s.removeDocuments(ctx, earshot.Deletion{ContentSource: p.ContentSource}))
		}
	}
	return nil
}

// isRemoved reports whether a content source was removed. If several nodes accept uploads, it asks the
// catalog's store, because a removal by another node may not have arrived. The node that removes the
// source deletes its documents after that; an upload that asks later deletes its own.
func (s *Service) isRemoved(ctx context.Context, id earshot.ContentSourceID) (bool, error) {
	if !s.Shared {
		src, ok := s.Catalog.Sources.Find(id)
		return !ok || src.Removed, nil
	}
	src, err := s.Catalog.Sources.Refresh(ctx, id)
	if errors.Is(err, catalog.ErrNotFound) {
		return true, nil
	}
	return err == nil && src.Removed, err
}
