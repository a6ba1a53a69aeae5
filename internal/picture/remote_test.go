package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"log/slog"
	"testing"
	"time"

	"earshot"
)

// newRemoteNodes returns services with caches of their own that ask each other. asked counts requests.
func newRemoteNodes(t *testing.T, count int) (nodes []*Service, asked *int) {
	t.Helper()
	asked = new(int)
	for i := range count {
		cache, err := OpenCache(CacheOptions{Dir: t.TempDir(), MaxBytes: 1 << 20, Free: func(string) (int64, error) { return 1 << 40, nil }})
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, New(Options{
			Cache: cache, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Model: Model{Version: "1", Classify: func(image.Image) ([]earshot.ImageObject, []earshot.ImageBrand, error) {
				return []earshot.ImageObject{{Score: 0.5, ClassID: 3, ClassName: "cup"}}, nil, nil
			}},
			Remote: func(ctx context.Context, request []byte) ([]byte, error) {
				*asked++
				for k, other := range nodes {
					if data, err := other.Answer(ctx, request); k != i && err == nil {
						return data, nil
					}
				}
				return nil, errors.New("no node has it")
			},
		}))
	}
	return nodes, asked
}

func TestUploadedPictureIsKnownOnAllNodes(t *testing.T) {
	nodes, asked := newRemoteNodes(t, 4)
	url, want, err := nodes[0].Add(t.Context(), file(9))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range nodes[:3] {
		got, ok := s.Uploaded(t.Context(), url)
		if !ok || got.Hash != want.Hash || len(got.Objects) != 1 || got.Objects[0] != want.Objects[0] {
			t.Errorf("node %d: got %+v %v, want %+v", i, got, ok, want)
		}
		if found, err, ok := s.known(t.Context(), url); !ok || err != nil || found.Hash != want.Hash {
			t.Errorf("node %d, as a picture of a post: got %+v %v %v", i, found, err, ok)
		}
	}
	small, err := nodes[0].Thumbnail(t.Context(), want.Hash)
	if err != nil {
		t.Fatal(err)
	}
	before := *asked
	for range 3 { // only the first request needs another node
		got, err := nodes[3].Thumbnail(t.Context(), want.Hash)
		if err != nil || !bytes.Equal(got, small) {
			t.Errorf("got a thumbnail of %d bytes and %v, want %d bytes", len(got), err, len(small))
		}
	}
	if got := *asked - before; got != 1 {
		t.Errorf("other nodes were asked %d times, want once", got)
	}
}

func TestPictureThatNoNodeHas(t *testing.T) {
	nodes, asked := newRemoteNodes(t, 2)
	missing := HashOf([]byte("missing"))
	for range 3 {
		if _, err := nodes[0].Thumbnail(t.Context(), missing); !errors.Is(err, ErrNoThumbnail) {
			t.Errorf("got %v, want ErrNoThumbnail", err)
		}
	}
	if *asked != 1 {
		t.Errorf("other nodes were asked %d times within a moment, want once", *asked)
	}
	for _, hash := range []string{"", "../../secret", "thumbnail"} {
		if _, err := nodes[0].Thumbnail(t.Context(), hash); !errors.Is(err, ErrNoThumbnail) {
			t.Errorf("%q: got %v, want ErrNoThumbnail", hash, err)
		}
		if _, err := nodes[0].Answer(t.Context(), []byte(thumbnailRequest+hash)); err == nil {
			t.Errorf("%q has a thumbnail", hash)
		}
		if _, err := nodes[0].Answer(t.Context(), []byte(resultRequest+hash)); err == nil {
			t.Errorf("%q has a result", hash)
		}
	}
	if *asked != 1 {
		t.Error("other nodes were asked for something that is no hash")
	}
	// What another node returns is checked.
	nodes[0].Remote = func(context.Context, []byte) ([]byte, error) { return []byte("no picture"), nil }
	other := HashOf([]byte("other"))
	if _, err := nodes[0].Thumbnail(t.Context(), other); !errors.Is(err, ErrNoThumbnail) {
		t.Errorf("got %v for a damaged thumbnail, want ErrNoThumbnail", err)
	}
	nodes[0].Remote = func(context.Context, []byte) ([]byte, error) { return []byte(`{"Hash":"` + missing + `"}`), nil }
	if p, ok := nodes[0].Uploaded(t.Context(), earshot.PictureScheme+other); ok {
		t.Errorf("got %+v for another file", p)
	}
}
