package picture

import (
	"cmp"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/operate/disk"
)

// A Cache is a directory with what is known about pictures:
//
//	urls/ab/ab12….json     the content hash of a URL, or why it has none
//	results/9f/9f86….json  what was found in a file, by its content hash
//	thumbs/9f/9f86….jpg    its thumbnail
//	uploads/9f/9f86….new   an empty file: the picture was uploaded, and no post has it yet
//
// If the thumbnails exceed the maximum size, the least recently used ones are removed. [Cache.Sweep]
// does the same with URLs and results, and removes uploads that no post has. Files are replaced
// atomically but not synced; an unreadable file counts as missing.
type Cache struct {
	dir        string
	maxBytes   int64
	maxRecords int
	free       func(dir string) (int64, error)
	now        func() time.Time
	written    atomic.Int64 // URLs and results since the last sweep

	mu    sync.Mutex
	byUse *list.List               // guarded by mu; of *thumbnail, most recently used first
	thumb map[string]*list.Element // guarded by mu; by content hash
	bytes int64                    // guarded by mu; total size of the thumbnails
}

// A thumbnail is what the cache remembers about a file in thumbs.
type thumbnail struct {
	hash string
	size int64
	used time.Time // time of the file
}

const (
	// minFree is the free space that the cache leaves on the disk for what cannot be made again.
	minFree = 512 << 20
	// touchInterval is the resolution of the times at which thumbnails were used.
	touchInterval = time.Hour
	// defaultMaxRecords bounds the space of URLs and results: most file systems use 4 KB for each.
	defaultMaxRecords = 100_000
)

// CacheOptions configure a Cache.
type CacheOptions struct {
	Dir        string
	MaxBytes   int64                           // of all thumbnails
	MaxRecords int                             // of URLs, and of results; 0: 100,000 each
	Free       func(dir string) (int64, error) // nil: disk.Free
	Now        func() time.Time                // nil: time.Now
}

// ErrNoThumbnail means that there is no thumbnail, or no longer.
var ErrNoThumbnail = errors.New("no thumbnail")

// OpenCache creates the directory if necessary, and reads the list of thumbnails.
func OpenCache(o CacheOptions) (*Cache, error) {
	c := &Cache{dir: o.Dir, maxBytes: o.MaxBytes, maxRecords: cmp.Or(o.MaxRecords, defaultMaxRecords), free: o.Free, now: o.Now, byUse: list.New(), thumb: map[string]*list.Element{}}
	if c.free == nil {
		c.free = disk.Free
	}
	if c.now == nil {
		c.now = time.Now
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open picture cache: %w", err)
	}
	var found []*thumbnail
	err := filepath.WalkDir(filepath.Join(c.dir, "thumbs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		hash, ok := strings.CutSuffix(d.Name(), ".jpg")
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if !ok || !IsHash(hash) { // left behind by a crash
			_ = os.Remove(path)
			return nil
		}
		found = append(found, &thumbnail{hash, info.Size(), info.ModTime()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open picture cache: %w", err)
	}
	slices.SortFunc(found, func(a, b *thumbnail) int { return b.used.Compare(a.used) })
	for _, t := range found {
		c.thumb[t.hash] = c.byUse.PushBack(t)
		c.bytes += t.size
	}
	return c, nil
}

// IsHash reports whether text is a content hash: 64 hexadecimal digits in lower case.
func IsHash(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) == 2*sha256.Size && text == strings.ToLower(text)
}

// Size returns the number and the total size of the thumbnails.
func (c *Cache) Size() (thumbnails, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(c.byUse.Len()), c.bytes
}

// A URLRecord is what is known about a URL.
type URLRecord struct {
	Hash   string    `json:"hash,omitempty"`   // content hash of the file
	Reason string    `json:"reason,omitempty"` // why there is none
	Until  time.Time `json:"until,omitzero"`   // when to try again
}

// URL returns what is known about a URL.
func (c *Cache) URL(url string) (r URLRecord, ok bool) {
	path := c.urlPath(url)
	if !readJSON(path, &r) || r.Hash != "" && !IsHash(r.Hash) {
		return URLRecord{}, false
	}
	c.touch(path)
	return r, true
}

// SetURL records what is known about a URL.
func (c *Cache) SetURL(url string, r URLRecord) error { return c.writeJSON(c.urlPath(url), r) }

func (c *Cache) urlPath(url string) string {
	sum := sha256.Sum256([]byte(url))
	return c.path("urls", hex.EncodeToString(sum[:16]), ".json")
}

// Result returns what was found in a file.
func (c *Cache) Result(hash string) (*earshot.Picture, bool) {
	if !IsHash(hash) {
		return nil, false
	}
	p, path := new(earshot.Picture), c.path("results", hash, ".json")
	if !readJSON(path, p) || p.Hash != hash {
		return nil, false
	}
	c.touch(path)
	return p, true
}

// SetResult records what was found in a file.
func (c *Cache) SetResult(p *earshot.Picture) error {
	return c.writeJSON(c.path("results", p.Hash, ".json"), p)
}

// Thumbnail returns the thumbnail of a file, a JPEG. It fails with ErrNoThumbnail if there is none.
func (c *Cache) Thumbnail(hash string) ([]byte, error) {
	c.mu.Lock()
	e, ok := c.thumb[hash]
	stale := false
	if ok {
		c.byUse.MoveToFront(e)
		t := e.Value.(*thumbnail)
		if stale = c.now().Sub(t.used) > touchInterval; stale {
			t.used = c.now()
		}
	}
	c.mu.Unlock()
	if !ok {
		return nil, ErrNoThumbnail
	}
	path := c.path("thumbs", hash, ".jpg")
	data, err := os.ReadFile(path)
	if err != nil || !isJPEG(data) {
		c.forget(hash) // lost in a crash of the machine
		return nil, ErrNoThumbnail
	}
	if stale {
		_ = os.Chtimes(path, time.Time{}, c.now()) // only the order of removal depends on it
	}
	return data, nil
}

// HasThumbnail reports whether there is a thumbnail.
func (c *Cache) HasThumbnail(hash string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.thumb[hash] != nil
}

// SetThumbnail stores a thumbnail, and removes the least recently used ones if there are too many.
func (c *Cache) SetThumbnail(hash string, jpeg []byte) error {
	if !IsHash(hash) {
		return fmt.Errorf("%q is no content hash", hash)
	}
	if err := c.write(c.path("thumbs", hash, ".jpg"), jpeg); err != nil {
		return err
	}
	c.mu.Lock()
	if e := c.thumb[hash]; e != nil {
		c.bytes -= e.Value.(*thumbnail).size
		c.byUse.Remove(e)
	}
	c.thumb[hash] = c.byUse.PushFront(&thumbnail{hash, int64(len(jpeg)), c.now()})
	c.bytes += int64(len(jpeg))
	var excess []string
	for c.bytes > c.maxBytes && c.byUse.Len() > 1 {
		excess = append(excess, c.removeOldest())
	}
	c.mu.Unlock()
	for _, hash := range excess {
		_ = os.Remove(c.path("thumbs", hash, ".jpg")) // a file that stays is found at the next start
	}
	return nil
}

// removeOldest removes the least recently used thumbnail from the list. c.mu must be held.
func (c *Cache) removeOldest() string {
	t := c.byUse.Remove(c.byUse.Back()).(*thumbnail)
	delete(c.thumb, t.hash)
	c.bytes -= t.size
	return t.hash
}

func (c *Cache) forget(hash string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.thumb[hash]; e != nil {
		c.bytes -= c.byUse.Remove(e).(*thumbnail).size
		delete(c.thumb, hash)
	}
}

func (c *Cache) path(kind, name, ending string) string {
	return filepath.Join(c.dir, kind, name[:2], name+ending)
}

// touch notes that a file was used.
func (c *Cache) touch(path string) {
	now := c.now()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > 24*touchInterval {
		_ = os.Chtimes(path, time.Time{}, now)
	}
}

func readJSON(path string, v any) bool {
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, v) == nil
}

func (c *Cache) writeJSON(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.written.Add(1)
	return c.write(path, data)
}

// temporaryPrefix starts the names of files that are being written.
const temporaryPrefix = "new-"

var errDiskFull = errors.New("too little free disk space for the picture cache")

// write replaces a file atomically.
func (c *Cache) write(path string, data []byte) error {
	if free, err := c.free(c.dir); err == nil && free < minFree {
		return errDiskFull
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), temporaryPrefix+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
