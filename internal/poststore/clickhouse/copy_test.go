package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/poststore/memory"
	"earshot/internal/poststore/storecopy"
	"earshot/internal/poststore/storetest"
	"earshot/internal/test/testenv"
)

// newDatabase returns an empty database.
func newDatabase(t *testing.T) *Database {
	t.Helper()
	server := chtest.Open(t)
	d, err := NewDatabase(DatabaseOptions{URL: server.URL, Name: server.Database})
	check(t, err)
	t.Cleanup(d.Close)
	return d
}

// writer returns the store in a database.
func (d *Database) writer(t *testing.T) *Store {
	t.Helper()
	s, err := d.Open(t.Context(), func(context.Context) error { return nil })
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

// unretried returns a client that does not repeat inserts.
func unretried(t *testing.T, url, database string) *chhttp.Client {
	t.Helper()
	c, err := chhttp.New(chhttp.Options{URL: url, Database: database, RetryWaits: []time.Duration{}})
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

// copySource returns a store to copy from.
func copySource(t *testing.T) storetest.CopySource {
	d := newDatabase(t)
	check(t, d.Prepare(t.Context(), "test"))
	return storetest.CopySource{Store: d.writer(t), Export: func() poststore.Exporter {
		x, err := d.OpenExport(t.Context())
		check(t, err)
		t.Cleanup(func() { check(t, x.Close()) })
		return x
	}}
}

// copyTarget returns a store to copy to. It must refuse to be opened before the copy is complete.
func copyTarget(t *testing.T) storetest.CopyTarget {
	d := newDatabase(t)
	var last *Import
	return storetest.CopyTarget{
		Import: func() poststore.Importer {
			if last != nil && last.last.Source != "" {
				_, openErr := d.Open(t.Context(), nil)
				_, inspectErr := d.Inspect(t.Context())
				_, exportErr := d.OpenExport(t.Context())
				for _, err := range []error{openErr, inspectErr, exportErr} {
					if !errors.Is(err, poststore.ErrUnfinishedCopy) {
						t.Errorf("an unfinished copy can be opened: %v", err)
					}
				}
			}
			var err error
			last, err = d.OpenImport(t.Context(), "test")
			check(t, err)
			t.Cleanup(func() { check(t, last.Close()) })
			return last
		},
		Open: func() poststore.Store { return d.writer(t) },
	}
}

func memorySource(*testing.T) storetest.CopySource {
	s := memory.New()
	return storetest.CopySource{Store: s, Export: func() poststore.Exporter { return s }}
}

func memoryTarget(*testing.T) storetest.CopyTarget {
	s := memory.New()
	i := memory.NewImport(s)
	return storetest.CopyTarget{Import: func() poststore.Importer { return i }, Open: func() poststore.Store { return s }}
}

func newMemory(*testing.T) poststore.Store { return memory.New() }

func TestCopyToClickHouse(t *testing.T) {
	storetest.Copy(t, memorySource, copyTarget, newMemory, testenv.Rounds(1, 4))
}

func TestCopyFromClickHouse(t *testing.T) {
	storetest.Copy(t, copySource, memoryTarget, newMemory, testenv.Rounds(1, 4))
}

// TestBrokenCopies breaks the connection at requests of a copy, before the server executes them and
// after: with -long at each request. Another process continues.
func TestBrokenCopies(t *testing.T) {
	source := memory.New()
	for _, step := range steps(t)[:5] {
		check(t, step(t.Context(), source))
	}
	want := summary(t, source)
	server := chtest.Open(t)
	stride, first := int64(1), int64(0)
	if !testenv.Long() {
		stride, first = 3, int64(testenv.Seed()%3)
	}
	for _, executed := range []bool{false, true} {
		proxy := newFlakyProxy(t, server.URL)
		d, err := NewDatabase(DatabaseOptions{URL: proxy.URL, Name: newDatabase(t).Name()})
		check(t, err)
		defer d.Close()
		d.client = unretried(t, proxy.URL, d.Name())
		check(t, d.create(t.Context()))
		attempt := func() error {
			i, err := d.OpenImport(t.Context(), "test")
			if err != nil {
				return err
			}
			defer i.Close()
			_, err = storecopy.Copy(t.Context(), storecopy.Options{Source: source, Target: i, Installation: "test", Chunk: 2})
			return err
		}
		attempts := int64(0)
		for ; ; attempts++ { // each attempt gets further than the last one
			proxy.breakAfter(12+attempts*stride+first, executed)
			err := attempt()
			proxy.heal()
			if err == nil || strings.Contains(err.Error(), "has posts already") { // the last request was executed
				break
			}
			if attempts > 500 {
				t.Fatal(err)
			}
		}
		if attempts < 5 {
			t.Errorf("only %d attempts were broken", attempts)
		}
		if got := summary(t, d.writer(t)); got != want {
			t.Errorf("executed %t: got\n%swant\n%s", executed, got, want)
		}
	}
}

func TestCopiesAreRefused(t *testing.T) {
	d := newDatabase(t)
	if _, err := d.OpenExport(t.Context()); err == nil || !strings.Contains(err.Error(), "has no posts") {
		t.Errorf("copy from an empty database: %v", err)
	}
	check(t, d.Prepare(t.Context(), "test"))
	if _, err := d.OpenImport(t.Context(), "other"); err == nil || !strings.Contains(err.Error(), "has the posts of installation test") {
		t.Errorf("copy to the database of another installation: %v", err)
	}
	check(t, d.writer(t).Append(t.Context(), 1, nil))
	if _, err := d.OpenImport(t.Context(), "test"); err == nil || !strings.Contains(err.Error(), "has posts already") {
		t.Errorf("copy to a database in use: %v", err)
	}
}

// TestCopiedPostsExpire checks that copies remember when posts were stored, and which were matched.
func TestCopiedPostsExpire(t *testing.T) {
	now := time.Now().UTC().Truncate(24 * time.Hour)
	var posts []poststore.StoredPost
	for days := range 5 {
		for _, matched := range []bool{false, true} {
			posts = append(posts, poststore.StoredPost{
				Post:   earshot.Post{Source: earshot.Twitter, GUID: fmt.Sprint(days, matched), Time: time.Unix(int64(len(posts)), 0)},
				Stored: now.AddDate(0, 0, -days), Matched: matched,
			})
		}
	}
	d := newDatabase(t)
	i, err := d.OpenImport(t.Context(), "test")
	check(t, err)
	last := poststore.Checkpoint{Source: "test", Began: time.Now(), Posts: int64(len(posts)), Parts: 1, After: poststore.FirstPost}
	check(t, i.Import(t.Context(), poststore.CopyPart{Posts: posts, Next: last}))
	last.Parts++
	check(t, i.Finish(t.Context(), 7, last))
	exported, err := i.Imported().ExportPosts(t.Context(), poststore.FirstPost, 100)
	check(t, err)
	for k, p := range exported {
		if want := posts[k]; p.Post.GUID != want.Post.GUID || !p.Stored.Equal(want.Stored) || p.Matched != want.Matched {
			t.Errorf("got %s stored %v, matched %t, want %s, %v, %t", p.Post.GUID, p.Stored, p.Matched, want.Post.GUID, want.Stored, want.Matched)
		}
	}
	check(t, i.Accept(t.Context()))
	check(t, i.Close())
	s := d.writer(t)
	for _, c := range []struct {
		until time.Time
		left  int64
	}{{now.AddDate(0, 0, -4), 10}, {now.AddDate(0, 0, -3), 9}, {now.AddDate(0, 0, -1), 7}, {now.Add(-time.Hour), 7}, {now, 6}} {
		check(t, s.expire(t.Context(), c.until))
		stats, err := s.Stats(t.Context())
		check(t, err)
		if stats.Posts != c.left {
			t.Errorf("posts stored before %v expired: got %d left, want %d", c.until, stats.Posts, c.left)
		}
	}
}
