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
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// An Upload is a request to add documents.
type Upload struct {
	Source earshot.ContentSourceID // 0: the old form, where each item's Type names it
	Batch  string                  // assigned when empty
	Items  []Item
}

// An UploadResult is the result of an upload. Used counts the documents of the last 24 hours,
// this upload included; Contracted is their maximum.
type UploadResult struct {
	Count      int
	Batch      string
	Used       int64
	Contracted int64
}

// Upload accepts all documents of a request or none. A document with a known guid replaces
// the old one.
func (s *Service) Upload(ctx context.Context, c *earshot.Caller, u Upload) (UploadResult, error) {
	if err := checkItemCount(len(u.Items)); err != nil {
		return UploadResult{}, err
	}
	if len(u.Batch) > maxText {
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

// checkItemCount returns an error unless a request may have n documents.
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

// findSourceByName finds a content source of the caller's teams by name.
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
			return nil, fmt.Errorf("'%s' is the name of several content sources; use documentType", clip(name))
		}
		found = src
	}
	if found == nil {
		return nil, fmt.Errorf("'%s' is not a content source of your teams", clip(name))
	}
	return found, nil
}

// posts checks every item and converts it to a post.
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

// addCustomFields adds the names of custom fields to their source, up to maxFields.
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
			if len(all) > maxFields {
				return earshot.InvalidBody("custom fields: content source '%s' would have %d different names (%s), at most %d are allowed",
					src.Name, len(all), clip(strings.Join(all, ", ")), maxFields)
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

// append reserves the documents against the contract and writes them.
func (s *Service) append(ctx context.Context, batch string, posts []earshot.Post) (UploadResult, error) {
	contract, err := s.Catalog.Contract(ctx)
	if err != nil {
		return UploadResult{}, err
	}
	now, n, limit := s.Now(), int64(len(posts)), contract.DocumentsPerDay
	used, err := s.Catalog.ReserveDocuments(ctx, now, n, limit)
	if errors.Is(err, catalog.ErrOverLimit) {
		return UploadResult{}, &earshot.Error{Kind: earshot.OverLimit, RetryAfter: 10 * time.Minute,
			Message: fmt.Sprintf("The contract allows %d documents in 24 hours, %d were uploaded and %d more do not fit; nothing was taken. Try again later", limit, used-n, n)}
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

// write appends posts of content sources to the journal.
func (s *Service) write(ctx context.Context, posts []earshot.Post) error {
	if err := s.addCustomFields(ctx, posts); err != nil {
		return err
	}
	if _, err := s.Journal.Append(ctx, journal.Entry{Posts: posts}); err != nil {
		return err
	}
	return s.deleteFromRemovedSources(context.WithoutCancel(ctx), posts)
}

// deleteFromRemovedSources deletes posts just written to a content source that was removed
// concurrently, and returns an error then.
func (s *Service) deleteFromRemovedSources(ctx context.Context, posts []earshot.Post) error {
	checked := map[earshot.ContentSourceID]bool{}
	for _, p := range posts {
		if checked[p.ContentSource] {
			continue
		}
		checked[p.ContentSource] = true
		if src, ok := s.Catalog.Sources.Find(p.ContentSource); !ok || src.Removed {
			return errors.Join(earshot.NoContentSource(p.ContentSource),
				s.removeDocuments(ctx, earshot.Deletion{ContentSource: p.ContentSource}))
		}
	}
	return nil
}
