package picture

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"earshot/internal/sleep"
)

const (
	// urlLife is how long an unused record of a URL stays.
	urlLife = 90 * 24 * time.Hour
	// uploadLife is how long an uploaded picture stays that no post has.
	uploadLife = 7 * 24 * time.Hour
	// temporaryLife is how long a temporary file stays, which nothing but a crash leaves behind.
	temporaryLife = time.Hour

	sweepInterval = 24 * time.Hour
	sweepCheck    = time.Minute // between looks whether the cache is too large
)

// Maintain keeps the cache small until ctx ends.
func (s *Service) Maintain(ctx context.Context) {
	var swept time.Time
	for {
		if now := s.Now(); now.Sub(swept) >= sweepInterval || s.Cache.isFull() {
			s.Cache.Sweep()
			swept = now
		}
		if !sleep.For(ctx, sweepCheck) {
			return
		}
	}
}

// isFull reports whether enough records were written since the last sweep that another one may be
// necessary. A sweep leaves space for a tenth of the records.
func (c *Cache) isFull() bool { return c.written.Load() > int64(c.maxRecords/10) }

// Sweep removes URLs that were not used for a long time, the least recently used URLs and results if
// there are too many, uploads that no post has, and temporary files of crashes. It reads the times of
// all files.
func (c *Cache) Sweep() {
	c.written.Store(0)
	now := c.now()
	c.sweepRecords("urls", now.Add(-urlLife), now)
	c.sweepRecords("results", time.Time{}, now)
	c.walk("uploads", func(path string, used time.Time) {
		hash := strings.TrimSuffix(filepath.Base(path), uploadEnding)
		// Only one of Sweep and UseUpload removes the file.
		if used.Before(now.Add(-uploadLife)) && os.Remove(path) == nil && IsHash(hash) {
			c.forget(hash)
			_ = os.Remove(c.path("thumbs", hash, ".jpg"))
			_ = os.Remove(c.path("results", hash, ".json"))
		}
	})
}

// sweepRecords removes files that were last used before a time, and the least recently used ones if
// there are too many.
func (c *Cache) sweepRecords(kind string, before, now time.Time) {
	type record struct {
		path string
		used time.Time
	}
	var records []record
	c.walk(kind, func(path string, used time.Time) {
		isTemporary := strings.HasPrefix(filepath.Base(path), temporaryPrefix)
		switch {
		case used.Before(before) || isTemporary && used.Before(now.Add(-temporaryLife)):
			_ = os.Remove(path) // the next sweep tries again
		case !isTemporary:
			records = append(records, record{path, used})
		}
	})
	keep := c.maxRecords - c.maxRecords/10
	if len(records) <= keep {
		return
	}
	slices.SortFunc(records, func(a, b record) int { return a.used.Compare(b.used) })
	for _, r := range records[:len(records)-keep] {
		_ = os.Remove(r.path)
	}
}

// walk calls visit for all files of a kind.
func (c *Cache) walk(kind string, visit func(path string, used time.Time)) {
	_ = filepath.WalkDir(filepath.Join(c.dir, kind), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			visit(path, info.ModTime())
		}
		return nil
	})
}

const uploadEnding = ".new"

// MarkUpload notes that a picture was uploaded, and that no post has it yet.
func (c *Cache) MarkUpload(hash string) error {
	return c.write(c.path("uploads", hash, uploadEnding), nil)
}

// IsUnusedUpload reports whether a picture was uploaded and no post has it yet.
func (c *Cache) IsUnusedUpload(hash string) bool {
	_, err := os.Stat(c.path("uploads", hash, uploadEnding))
	return err == nil
}

// UseUpload notes that a post has a picture, whether it was uploaded or not.
func (c *Cache) UseUpload(hash string) {
	if IsHash(hash) {
		_ = os.Remove(c.path("uploads", hash, uploadEnding)) // missing for most pictures
	}
}
