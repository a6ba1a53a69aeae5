package picture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"earshot"
)

// Each node has a cache of its own. What one lacks, it asks others for and keeps: a thumbnail when
// someone looks at it, and the result of an uploaded picture when a post refers to it. A request is
// for example "thumbnail 9f86d0…" or "result 9f86d0…".
const (
	thumbnailRequest = "thumbnail "
	resultRequest    = "result "
)

// remoteTimeout bounds a request to other nodes, and absentLife is how long a node does not ask again
// for what none of them has.
const (
	remoteTimeout = 500 * time.Millisecond
	absentLife    = 10 * time.Second
)

// Thumbnail returns the thumbnail of a file, a JPEG, from the cache of this node or of another one. It
// fails with ErrNoThumbnail if there is none.
func (s *Service) Thumbnail(ctx context.Context, hash string) ([]byte, error) {
	data, err := s.Cache.Thumbnail(hash)
	if !errors.Is(err, ErrNoThumbnail) || !IsHash(hash) {
		return data, err
	}
	data, ok := s.ask(ctx, thumbnailRequest+hash)
	if !ok || !isJPEG(data) {
		return nil, ErrNoThumbnail
	}
	if err := s.Cache.SetThumbnail(hash, data); err != nil {
		s.Log.Debug("thumbnail of another node not cached", "error", err)
	}
	return data, nil
}

// result returns what was found in a file, from the cache of this node or of another one.
func (s *Service) result(ctx context.Context, hash string) (*earshot.Picture, bool) {
	if p, ok := s.Cache.Result(hash); ok || !IsHash(hash) {
		return p, ok
	}
	data, ok := s.ask(ctx, resultRequest+hash)
	p := new(earshot.Picture)
	if !ok || json.Unmarshal(data, p) != nil || p.Hash != hash {
		return nil, false
	}
	if err := s.Cache.SetResult(p); err != nil {
		s.Log.Debug("result of another node not cached", "error", err)
	}
	return p, true
}

// ask asks other nodes.
func (s *Service) ask(ctx context.Context, request string) ([]byte, bool) {
	if s.Remote == nil || s.absent.has(request, s.Now()) {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, remoteTimeout)
	defer cancel()
	data, err := s.Remote(ctx, []byte(request))
	if err != nil {
		s.absent.add(request, s.Now())
		return nil, false
	}
	return data, true
}

// Answer answers a request of another node. It fails with ErrNoThumbnail if this one does not have it
// either.
func (s *Service) Answer(_ context.Context, request []byte) ([]byte, error) {
	if hash, ok := strings.CutPrefix(string(request), thumbnailRequest); ok {
		return s.Cache.Thumbnail(hash)
	}
	hash, ok := strings.CutPrefix(string(request), resultRequest)
	if ok {
		if p, ok := s.Cache.Result(hash); ok {
			return json.Marshal(p)
		}
	}
	return nil, ErrNoThumbnail
}

// isJPEG reports whether data looks like a complete JPEG file.
func isJPEG(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xd8")) && bytes.HasSuffix(data, []byte("\xff\xd9"))
}

// absences are requests that no node could answer recently. The zero value is ready to use.
type absences struct {
	mu    sync.Mutex
	until map[string]time.Time // guarded by mu
}

// maxAbsences bounds the memory of absences. Beyond it, requests are sent again.
const maxAbsences = 10_000

func (a *absences) has(request string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return now.Before(a.until[request])
}

func (a *absences) add(request string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until == nil || len(a.until) >= maxAbsences {
		a.until = map[string]time.Time{}
	}
	a.until[request] = now.Add(absentLife)
}
