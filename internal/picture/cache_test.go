package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"earshot"
)

func TestCacheRemovesLeastRecentlyUsedThumbnails(t *testing.T) {
	now := time.Unix(1e9, 0)
	open := func(dir string) *Cache {
		t.Helper()
		c, err := OpenCache(CacheOptions{Dir: dir, MaxBytes: 25, Free: func(string) (int64, error) { return 1 << 40, nil }, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	dir := t.TempDir()
	c := open(dir)
	hash := func(i int) string { return strings.Repeat(fmt.Sprintf("%02x", i), 32) }
	thumb := []byte("\xff\xd8 10 b \xff\xd9\xff\xd9")[:10]
	thumb[8], thumb[9] = 0xff, 0xd9
	add := func(i int) {
		t.Helper()
		if err := c.SetThumbnail(hash(i), thumb); err != nil {
			t.Fatal(err)
		}
	}
	add(1)
	add(2)
	if _, err := c.Thumbnail(hash(1)); err != nil {
		t.Fatal(err)
	}
	add(3) // removes 2
	add(3)
	has := func() (list []int) {
		for i := range 5 {
			if _, err := c.Thumbnail(hash(i)); err == nil {
				list = append(list, i)
			} else if !errors.Is(err, ErrNoThumbnail) {
				t.Error(err)
			}
		}
		return list
	}
	if got := has(); !reflect.DeepEqual(got, []int{1, 3}) {
		t.Errorf("got %v, want 1 and 3", got)
	}
	if n, size := c.Size(); n != 2 || size != 20 {
		t.Errorf("got %d thumbnails of %d bytes, want 2 of 20", n, size)
	}
	p := &earshot.Picture{Hash: hash(2), Model: "1", Objects: []earshot.ImageObject{{Score: 0.5, ClassID: 3, ClassName: "car"}}}
	if err := c.SetResult(p); err != nil {
		t.Fatal(err)
	}

	// After a crash of the machine, files may be empty.
	if err := os.WriteFile(filepath.Join(dir, "thumbs", "01", hash(1)+".jpg"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "thumbs", "01", "new-123"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c = open(dir)
	if got := has(); !reflect.DeepEqual(got, []int{3}) {
		t.Errorf("opened again: got %v, want 3", got)
	}
	if got, ok := c.Result(hash(2)); !ok || !reflect.DeepEqual(got, p) {
		t.Errorf("got %+v, want the result of a removed thumbnail", got)
	}
	if err := c.SetURL("http://x", URLRecord{Hash: hash(2)}); err != nil {
		t.Fatal(err)
	}
	now = time.Now().Add(urlLife - time.Hour)
	c.Sweep()
	if r, ok := c.URL("http://x"); !ok || r.Hash != hash(2) {
		t.Errorf("got %+v %v, want the record", r, ok)
	}
	now = now.Add(urlLife + 48*time.Hour)
	c.Sweep()
	if _, ok := c.URL("http://x"); ok {
		t.Error("an old record was not removed")
	}
	for _, bad := range []string{"", "..", "../../secret.key", strings.ToUpper(hash(0xab)), hash(1)[1:]} {
		if _, err := c.Thumbnail(bad); !errors.Is(err, ErrNoThumbnail) {
			t.Errorf("%q: got %v", bad, err)
		}
		if err := c.SetThumbnail(bad, thumb); err == nil {
			t.Errorf("%q was stored", bad)
		}
	}
}

func TestThumbnail(t *testing.T) {
	for _, size := range []image.Point{{3000, 1500}, {1000, 2}, {100, 50}, {1, 1}, {2, 5000}} {
		small, err := makeThumbnail(image.NewNRGBA(image.Rectangle{Max: size}))
		if err != nil {
			t.Fatal(err)
		}
		c, err := jpeg.DecodeConfig(bytes.NewReader(small))
		if err != nil || max(c.Width, c.Height) > thumbnailSide || max(c.Width, c.Height) != min(max(size.X, size.Y), thumbnailSide) {
			t.Errorf("%v: got %d × %d, %v", size, c.Width, c.Height, err)
		}
	}
}
