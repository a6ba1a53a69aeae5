package picture

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
)

func TestSweepRemovesLeastRecentlyUsedRecords(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	c, err := OpenCache(CacheOptions{Dir: dir, MaxBytes: 1 << 20, MaxRecords: 10, Free: func(string) (int64, error) { return 1 << 40, nil }, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	hash := func(i int) string { return strings.Repeat(fmt.Sprintf("%02x", i), 32) }
	url := func(i int) string { return fmt.Sprint("http://x/", i) }
	for i := range 12 { // written on 12 days
		day := now.Add(time.Duration(i-20) * 24 * time.Hour)
		if err := errors.Join(
			c.SetResult(&earshot.Picture{Hash: hash(i)}), c.SetURL(url(i), URLRecord{Hash: hash(i)}),
			os.Chtimes(c.path("results", hash(i), ".json"), time.Time{}, day), os.Chtimes(c.urlPath(url(i)), time.Time{}, day),
		); err != nil {
			t.Fatal(err)
		}
	}
	if !c.isFull() {
		t.Error("the cache does not count as full")
	}
	if _, ok := c.Result(hash(0)); !ok { // which is a use
		t.Error("the first result is missing")
	}
	for i := range 4 {
		if _, ok := c.URL(url(i)); !ok {
			t.Errorf("the URL %d is missing", i)
		}
	}
	left := filepath.Join(dir, "results", "00", "new-123")
	if err := errors.Join(os.WriteFile(left, nil, 0o600), os.Chtimes(left, time.Time{}, now.Add(-2*time.Hour))); err != nil {
		t.Fatal(err)
	}
	c.Sweep()
	if c.isFull() {
		t.Error("the cache counts as full after a sweep")
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("a temporary file was not removed")
	}
	var results, urls []int
	for i := range 12 {
		if _, ok := c.Result(hash(i)); ok {
			results = append(results, i)
		}
		if _, ok := c.URL(url(i)); ok {
			urls = append(urls, i)
		}
	}
	if got, want := fmt.Sprint(results, urls), "[0 4 5 6 7 8 9 10 11] [0 1 2 3 7 8 9 10 11]"; got != want {
		t.Errorf("got results and URLs %s, want %s", got, want)
	}
}

func TestMaintainSweepsAFullCache(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c, err := OpenCache(CacheOptions{Dir: dir, MaxRecords: 10, Free: func(string) (int64, error) { return 1 << 40, nil }})
		if err != nil {
			t.Fatal(err)
		}
		s := New(Options{Cache: c, Now: time.Now})
		ctx, stop := context.WithCancel(t.Context())
		go s.Maintain(ctx)
		synctest.Wait()
		for i := range 12 {
			if err := c.SetURL(fmt.Sprint("http://x/", i), URLRecord{Reason: "gone"}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(sweepCheck + time.Second) // virtual
		synctest.Wait()
		n := 0
		c.walk("urls", func(string, time.Time) { n++ })
		if n != 9 {
			t.Errorf("%d records are left, want 9", n)
		}
		stop()
		synctest.Wait()
	})
}

// TestUploadsThatNoPostHasAreRemoved uploads pictures that no post refers to (2), that an imported post
// refers to (3), that are also at a URL (4), and that were at a URL before (5). One is uploaded again (6).
func TestUploadsThatNoPostHasAreRemoved(t *testing.T) {
	now := time.Now()
	cache, err := OpenCache(CacheOptions{Dir: t.TempDir(), MaxBytes: 1 << 20, Free: func(string) (int64, error) { return 1 << 40, nil }, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Cache: cache, Now: time.Now, Log: slog.New(slog.DiscardHandler), Get: func(_ context.Context, url string) ([]byte, string, error) {
		return file(url[len(url)-1] - '0'), "image/png", nil
	}})
	upload := func(shade uint8) {
		t.Helper()
		if _, _, err := s.Add(t.Context(), file(shade)); err != nil {
			t.Fatal(err)
		}
	}
	show := func(url string) {
		t.Helper()
		if _, err := s.Show(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	want := func(after time.Duration, want ...uint8) {
		t.Helper()
		now = time.Now().Add(after)
		cache.Sweep()
		var got []uint8
		for shade := range uint8(8) {
			hash := HashOf(file(shade))
			_, isKnown := cache.Result(hash)
			if _, err := cache.Thumbnail(hash); (err == nil) != isKnown {
				t.Errorf("picture %d: result %v, thumbnail %v", shade, isKnown, err)
			}
			if isKnown {
				got = append(got, shade)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %v: got pictures %v, want %v", after, got, want)
		}
	}
	show("http://x/5")
	for shade := range uint8(5) {
		upload(shade + 2)
	}
	if _, ok := s.Uploaded(t.Context(), earshot.PictureScheme+HashOf(file(3))); !ok {
		t.Error("an uploaded picture is missing")
	}
	show("http://x/4")
	want(uploadLife-time.Hour, 2, 3, 4, 5, 6)
	marker := cache.path("uploads", HashOf(file(6)), uploadEnding)
	if err := os.Chtimes(marker, time.Time{}, time.Now().Add(-uploadLife)); err != nil {
		t.Fatal(err)
	}
	upload(6)
	want(time.Hour, 2, 3, 4, 5, 6)
	want(uploadLife+time.Hour, 3, 4, 5)
	if _, ok := s.Uploaded(t.Context(), earshot.PictureScheme+HashOf(file(2))); ok {
		t.Error("a removed picture counts as uploaded")
	}
	upload(2)
	want(time.Hour, 2, 3, 4, 5)
}
