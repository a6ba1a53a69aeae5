package operate

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/watchlist"
)

// A StoreStep is a step of [CheckStore] that has ended.
type StoreStep struct {
	Name    string
	Details []string
	Err     error // nil: it succeeded
	Took    time.Duration
}

// CheckStore checks on the operator's servers that ClickHouse does what Earshot needs: it creates the
// tables in a scratch database, stores, replaces, matches and deletes posts there, and compares every
// result with an engine in memory. It calls report after each step, ends with the first step that
// fails, and returns its error.
func CheckStore(ctx context.Context, db *clickhouse.Database, report func(StoreStep)) error {
	c := &storeCheck{ctx: ctx, report: report, want: memory.New()}
	c.step("connect, version and cluster", func() ([]string, error) { return nil, db.CheckServer(ctx) })
	c.step("scratch database", func() (details []string, err error) {
		if c.db, err = db.Scratch(ctx, "_check", true); err != nil {
			return nil, err
		}
		return []string{c.db.Name()}, nil
	})
	if c.db != nil {
		defer c.db.Close()
	}
	c.step("create the tables", func() ([]string, error) {
		_, _, err := c.db.Migrate(ctx, nil)
		return nil, err
	})
	c.step("recognize repeated inserts", func() ([]string, error) { return nil, c.db.CheckDeduplication(ctx) })
	c.step("store posts", c.storePosts)
	c.step("replace posts", c.replacePosts)
	c.step("match stored posts", c.matchPosts)
	c.step("delete posts", c.deletePosts)
	c.step("read with another connection", c.reopen)
	c.step("replication", func() ([]string, error) {
		servers, err := c.db.CheckReplication(ctx)
		if servers == nil && err == nil {
			servers = []string{"one server: nothing is replicated"}
		}
		return servers, err
	})
	c.step("remove the tables", func() ([]string, error) { return nil, c.db.Clear(ctx) })
	if c.store != nil {
		c.err = errors.Join(c.err, c.store.Close())
	}
	return c.err
}

// A storeCheck is one call of CheckStore.
type storeCheck struct {
	ctx    context.Context
	report func(StoreStep)
	db     *clickhouse.Database // the scratch database
	store  *clickhouse.Store
	want   poststore.Store // has the same posts
	err    error           // of the step that failed
}

// step runs a step, unless one has failed.
func (c *storeCheck) step(name string, run func() ([]string, error)) {
	if c.err != nil {
		return
	}
	began := time.Now()
	s := StoreStep{Name: name}
	s.Details, s.Err = run()
	s.Took = time.Since(began)
	c.report(s)
	if s.Err != nil {
		c.err = fmt.Errorf("%s: %w", name, s.Err)
	}
}

// checkedSets are the sets of the posts: those of two monitors.
var checkedSets = []poststore.SetID{poststore.MonitorSet(earshot.FirstID), poststore.MonitorSet(earshot.FirstID + 1)}

// checkedTime is the time of the first post. Posts are spread over months, and so over partitions.
var checkedTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// checkedPosts returns posts from a number on. Version distinguishes posts with the same keys.
func checkedPosts(first, count, version int) []poststore.MatchedPost {
	posts := make([]poststore.MatchedPost, count)
	for i := range posts {
		n := first + i
		posts[i] = poststore.MatchedPost{Post: earshot.Post{
			Source: []earshot.Source{earshot.News, earshot.Blogs}[n%2], GUID: fmt.Sprint(n), Site: fmt.Sprintf("site%d.example", n%7), Author: fmt.Sprintf("author %d", n%31),
			Time: checkedTime.Add(time.Duration(n) * 11 * time.Hour), Language: []string{"en", "de", ""}[n%3],
			Contents: fmt.Sprintf("Version %d of a post about %s and tea", version, []string{"coffee", "cocoa", "Kaffee"}[n%3]),
		}, Received: checkedTime}
		posts[i].Sets = checkedSets[:1+n%2]
	}
	return posts
}

func (c *storeCheck) storePosts() ([]string, error) {
	var err error
	if c.store, err = c.db.Open(c.ctx, func(context.Context) error { return nil }); err != nil {
		return nil, err
	}
	for at := range 3 {
		if err := c.both(func(s poststore.Store) error {
			return s.Append(c.ctx, earshot.Position(at+1), checkedPosts(200*at, 200, 1))
		}); err != nil {
			return nil, err
		}
	}
	details, err := c.compare(c.store)
	if err == nil && !c.store.ListsWords() {
		details = append(details, "queries with prefixes such as pres* read the words of all posts")
	}
	return details, err
}

func (c *storeCheck) replacePosts() ([]string, error) {
	for range 2 { // the second time has no effect
		if err := c.both(func(s poststore.Store) error { return s.Append(c.ctx, 4, checkedPosts(100, 50, 2)) }); err != nil {
			return nil, err
		}
	}
	return c.compare(c.store)
}

func (c *storeCheck) matchPosts() ([]string, error) {
	where, err := watchlist.Compile(0, earshot.Criteria{Keywords: `coffee AND "version 2" OR cocoa NEAR/3 tea`})
	if err != nil {
		return nil, err
	}
	r := poststore.Rematch{Rules: poststore.Rules{checkedSets[1]: {Where: where, UpTo: 4, Generation: 2}}}
	if err := c.both(func(s poststore.Store) error { return s.Rematch(c.ctx, r) }); err != nil {
		return nil, err
	}
	return c.compare(c.store)
}

func (c *storeCheck) deletePosts() ([]string, error) {
	d := earshot.Deletion{Source: earshot.News, GUIDs: []string{"0", "100", "102", "598", "none"}}
	if err := c.both(func(s poststore.Store) error { return s.Delete(c.ctx, 5, d) }); err != nil {
		return nil, err
	}
	return c.compare(c.store)
}

func (c *storeCheck) reopen() ([]string, error) {
	reader, err := c.db.Open(c.ctx, nil)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return c.compare(reader)
}

// both makes a change in both stores.
func (c *storeCheck) both(change func(poststore.Store) error) error {
	if err := change(c.store); err != nil {
		return err
	}
	return change(c.want)
}

// compare returns an error unless a store has the same results as the one in memory.
func (c *storeCheck) compare(store poststore.Store) ([]string, error) {
	where, err := watchlist.Compile(0, earshot.Criteria{Keywords: `(coffee OR kaff*) AND NOT "version 1"`})
	if err != nil {
		return nil, err
	}
	day := func(n int) time.Time { return checkedTime.AddDate(0, 0, n) }
	queries := []struct {
		name string
		run  func(poststore.Store) (any, error)
	}{
		{"position", func(s poststore.Store) (any, error) { return s.Position(c.ctx) }},
		{"generations", func(s poststore.Store) (any, error) { return s.Generations(c.ctx) }},
	}
	for name, of := range map[string]poststore.Selection{
		"all posts":   {},
		"one monitor": {Set: checkedSets[0]},
		"the other":   {Set: checkedSets[1]},
		"a query":     {Where: where},
		"a month":     {Set: checkedSets[0], From: day(31), To: day(59)},
		"an author":   {Authors: []string{"Author 7"}},
	} {
		queries = append(queries, struct {
			name string
			run  func(poststore.Store) (any, error)
		}{"count " + name, func(s poststore.Store) (any, error) {
			return s.Tallies(c.ctx, of, []poststore.Tally{{}, {By: []poststore.Dim{poststore.ByDay}}, {By: []poststore.Dim{poststore.ByAuthor}, Top: 5}, {By: []poststore.Dim{poststore.ByLanguage, poststore.BySource}}})
		}}, struct {
			name string
			run  func(poststore.Store) (any, error)
		}{"list " + name, func(s poststore.Store) (any, error) {
			posts, total, err := s.Posts(c.ctx, of, 10)
			guids := []string{fmt.Sprint(total)}
			for _, p := range posts {
				guids = append(guids, p.GUID+" "+p.Contents)
			}
			return guids, err
		}})
	}
	for _, q := range queries {
		got, err := q.run(store)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		want, err := q.run(c.want)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		if !reflect.DeepEqual(got, want) {
			return nil, fmt.Errorf("%s: got %.300s, want %.300s", q.name, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
	return []string{fmt.Sprintf("%d queries have the right results", len(queries))}, nil
}
