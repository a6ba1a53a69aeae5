package picture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/state/journal"
)

// ErrOff means that pictures are not fetched.
var ErrOff = earshot.Errorf(earshot.Invalid, "Earshot does not fetch pictures. An administrator can turn it on with the setting images.fetch")

// Show looks at the picture at a URL for a person, without waiting for others from its host. Errors
// are messages for the person.
func (s *Service) Show(ctx context.Context, url string) (*earshot.Picture, error) {
	if s.Get == nil {
		return nil, ErrOff
	}
	if strings.HasPrefix(url, earshot.PictureScheme) {
		return nil, earshot.InvalidParameter("url", url, "an http or https URL")
	}
	if found, err, ok := s.known(ctx, url); ok && err == nil {
		return found, nil
	}
	body, _, err := s.Get(ctx, url)
	if err == nil {
		s.counts.fetched.Add(1)
		s.counts.bytes.Add(int64(len(body)))
		var found *earshot.Picture
		if found, err = s.look(ctx, body); err == nil {
			s.remember(url, URLRecord{Hash: found.Hash})
			return found, nil
		}
	}
	var status *fetch.StatusError
	var explained *earshot.Error // by the demo, which does not fetch pictures
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errModel):
		return nil, err
	case errors.Is(err, fetch.ErrRefused): // without the reason, which could be an address inside the network
		return nil, earshot.InvalidParameter("url", url, "an http or https URL of a public address, at port 80 or 443")
	case errors.Is(err, fetch.ErrTooLarge):
		return nil, earshot.Errorf(earshot.Unprocessable, "The picture is too large: at most 10 MB and 24 million pixels are allowed")
	case errors.As(err, &explained):
		return nil, explained
	case errors.As(err, &status):
		return nil, earshot.Errorf(earshot.Unprocessable, "The picture could not be fetched: the server responded with status %d", status.Code)
	case errors.Is(err, context.DeadlineExceeded) || isNetwork(err):
		return nil, earshot.Errorf(earshot.Unprocessable, "The picture could not be fetched: the server did not respond")
	}
	return nil, earshot.Errorf(earshot.Unprocessable, "The file is not a picture that can be read: it must be a JPEG, PNG, GIF or WebP")
}

// isNetwork reports whether a request failed before there was a response.
func isNetwork(err error) bool {
	var failed interface{ Timeout() bool } // implemented by all errors of package net
	return errors.As(err, &failed)
}

// Add looks at an uploaded picture. Posts refer to it by the URL that it returns. If none does, it is
// removed after some days.
func (s *Service) Add(ctx context.Context, body []byte) (url string, p *earshot.Picture, err error) {
	_, isKnown := s.Cache.Result(HashOf(body))
	p, err = s.look(ctx, body)
	switch {
	case err == nil:
		if !isKnown || s.Cache.IsUnusedUpload(p.Hash) {
			if err := s.Cache.MarkUpload(p.Hash); err != nil {
				s.Log.Debug("upload not marked", "error", err)
			}
		}
		if _, ok := s.Cache.Result(p.Hash); !ok {
			return "", nil, earshot.Errorf(earshot.StorageFull, "The picture could not be stored. Please free some disk space")
		}
		return earshot.PictureScheme + p.Hash, p, nil
	case ctx.Err() != nil || errors.Is(err, errModel):
		return "", nil, err
	case errors.Is(err, fetch.ErrTooLarge):
		return "", nil, earshot.Errorf(earshot.TooLarge, "The picture is too large: at most 24 million pixels are allowed")
	}
	return "", nil, earshot.Errorf(earshot.Invalid, "The file is not a picture that can be read: it must be a JPEG, PNG, GIF or WebP")
}

// Uploaded returns what was found in an uploaded picture that a post has, by the URL that Add returned.
func (s *Service) Uploaded(ctx context.Context, url string) (*earshot.Picture, bool) {
	hash, ok := strings.CutPrefix(url, earshot.PictureScheme)
	if !ok {
		return nil, false
	}
	s.Cache.UseUpload(hash)
	if found, ok := s.Cache.Result(hash); ok {
		return found, true
	}
	found, ok := s.result(ctx, hash)
	if ok { // the node to which it was uploaded removes it if none of its posts has it
		_, _ = s.Thumbnail(ctx, hash) // without it, the post has the result
	}
	return found, ok
}

// HashOf returns the content hash of a file.
func HashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Refresh runs the current model on pictures of stored posts that older models have looked at, in
// place. It uses thumbnails. Pictures without one, and those that nobody has looked at, are fetched
// later: Refresh appends a request for them to the journal. If nothing is fetched, they stay as they
// are.
func (s *Service) Refresh(ctx context.Context, posts []earshot.Post) {
	var later []journal.PicturedPost
	for i := range posts {
		p := &posts[i]
		if len(s.toLookAt(p)) == 0 {
			continue
		}
		p.Images = slices.Clone(p.Images) // the slice may be shared with the caller
		missing := false
		for k := range p.Images[:min(len(p.Images), MaxPerPost)] {
			image := &p.Images[k]
			if image.Picture == nil {
				missing = true
			} else if image.Picture.Model != s.Model.Version {
				if newer, err := s.lookAgain(ctx, image.Picture); err == nil {
					image.Picture = newer
				} else {
					missing = true
				}
			}
		}
		if missing {
			later = append(later, journal.PicturedPost{Key: p.Key()})
		}
	}
	if len(later) == 0 || s.Get == nil || ctx.Err() != nil {
		return
	}
	if _, err := s.Journal.Append(ctx, journal.Entry{Pictures: &journal.Pictures{Posts: later}}); err != nil {
		s.Log.Error("pictures of stored posts are not looked at again", "posts", len(later), "error", err)
	}
}
