package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

// A store is the post store that is measured.
type store interface {
	poststore.Store
	Flush(ctx context.Context) error   // syncs everything that was appended to disk
	Compact(ctx context.Context) error // completes all background work
	Checkpoint(ctx context.Context, dir string) error
	Close() error
}

// An opener opens the store in a directory, which it creates.
type opener func(ctx context.Context, dir string) (store, error)

// batchSize is the number of posts per journal entry.
const batchSize = 1000

// fill appends the posts of g and returns how long that took.
func fill(ctx context.Context, into poststore.Store, g *Generator, monitors int) (time.Duration, error) {
	start := time.Now()
	at := uint64(0)
	for batches := range chunks(g, monitors) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := appendBatches(ctx, into, at, batches); err != nil {
			return 0, err
		}
		at += uint64(len(batches))
	}
	return time.Since(start), nil
}

// matched yields the posts of g in batches. The first of the monitors matches all of them, and the
// others share them.
func matched(g *Generator, monitors int) iter.Seq[[]poststore.MatchedPost] {
	return func(yield func([]poststore.MatchedPost) bool) {
		n := 0
		for posts := range g.Batches(batchSize) {
			batch := make([]poststore.MatchedPost, len(posts))
			for i := range posts {
				d := newRNG(g.Seed, matchStream, n)
				batch[i] = poststore.MatchedPost{Post: posts[i], Sets: assign(monitors, &d)}
				n++
			}
			if !yield(batch) {
				return
			}
		}
	}
}

// chunkBatches is the number of batches generated at a time.
const chunkBatches = 300

// chunks yields the batches of matched, chunkBatches at a time.
func chunks(g *Generator, monitors int) iter.Seq[[][]poststore.MatchedPost] {
	return func(yield func([][]poststore.MatchedPost) bool) {
		var chunk [][]poststore.MatchedPost
		for batch := range matched(g, monitors) {
			if chunk = append(chunk, batch); len(chunk) == chunkBatches {
				if !yield(chunk) {
					return
				}
				chunk = nil
			}
		}
		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}

const matchStream = 4 // kind for newRNG

// testMonitor is the monitor that matches all posts.
const testMonitor poststore.SetID = earshot.FirstID + 100

// assign returns the monitors of a post: the first one and, for half of the posts, another one.
func assign(monitors int, d *rng) []poststore.SetID {
	switch {
	case monitors == 0:
		return nil
	case monitors == 1 || d.chance(50):
		return []poststore.SetID{testMonitor}
	}
	return []poststore.SetID{testMonitor, testMonitor + 1 + poststore.SetID(d.skewed(monitors-1))}
}

// A storeManifest describes the posts in the store of a directory.
type storeManifest struct {
	Bench, Sample string
	Seed          uint64
	Count         int
}

const manifestName = "bench.json"

// filledStore opens a compacted store with the posts of g. It fills the store if the directory does
// not have one yet.
func (s *session) filledStore(ctx context.Context, bench string, g *Generator, monitors int) (store, error) {
	want := storeManifest{Bench: bench, Sample: s.sample.Name, Seed: s.seed, Count: s.count}
	note := filepath.Join(s.dir, manifestName)
	there, err := s.hasPosts(note, want)
	if err != nil {
		return nil, err
	}
	st, err := s.open(ctx, filepath.Join(s.dir, "posts"))
	if err != nil {
		return nil, err
	}
	if there {
		return st, st.Compact(ctx)
	}
	s.logf("appending %d posts", g.Count)
	if err := fillAndSettle(ctx, st, g, monitors); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	text, err := json.Marshal(want)
	if err == nil {
		err = os.WriteFile(note, text, 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

func fillAndSettle(ctx context.Context, st store, g *Generator, monitors int) error {
	if _, err := fill(ctx, st, g, monitors); err != nil {
		return err
	}
	if err := st.Flush(ctx); err != nil {
		return err
	}
	return st.Compact(ctx)
}

// hasPosts reports whether the directory has the wanted posts. It returns an error if it has
// anything else.
func (s *session) hasPosts(note string, want storeManifest) (bool, error) {
	text, err := os.ReadFile(note)
	var got storeManifest
	if err == nil && json.Unmarshal(text, &got) == nil && got == want {
		return true, nil
	}
	return false, s.emptyDir()
}

// emptyDir creates the directory. It returns an error if the directory is not empty, because a
// store skips posts that it already has.
func (s *session) emptyDir() error {
	entries, err := os.ReadDir(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(s.dir, 0o700)
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty and does not have the posts of this measurement; use another directory", s.dir)
	}
	return nil
}

// sizes returns the total size of the files in each subdirectory of dir, and of the files in dir
// itself as ".".
func sizes(dir string) (map[string]int64, error) {
	bytes := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) { // files may be removed concurrently
			return nil
		}
		if err != nil {
			return err
		}
		bytes[partOf(dir, path)] += info.Size()
		return nil
	})
	return bytes, err
}

// partOf returns the subdirectory of dir that contains a file.
func partOf(dir, path string) string {
	inside, err := filepath.Rel(dir, path)
	if err != nil {
		return "."
	}
	part, _, nested := strings.Cut(filepath.ToSlash(inside), "/")
	if !nested {
		return "."
	}
	return part
}

// openLocal opens the store that the service uses.
func openLocal(ctx context.Context, dir string) (store, error) {
	return local.Open(ctx, local.Options{Dir: dir})
}
