// Package storecopy copies all posts of an installation, and everything that a post store knows about
// them, from one engine to another.
//
//	source, read only                   target, empty
//	ExportPosts  ── 25,000 posts ──►    Import: rows and a checkpoint
//	ExportSet    ── some sets ─────►    Import
//	ExportSnapshots ───────────────►    Import
//	Position ──────────────────────►    Finish: everything becomes visible
//	ExportPosts ... ◄── compare ───►    ExportPosts ...
//	                                    Accept: the service may use it
//
// The target records a checkpoint with every part, so a copy that was interrupted continues there.
// The order of posts does not depend on how an engine stores them.
package storecopy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot/internal/poststore"
)

// chunk is the number of posts in a part. Both engines hold about two parts in memory.
const chunk = 25_000

// maxEntries is the number of changes and counters in a part, unless a single set has more.
const maxEntries = 200_000

// Progress is how far a copy is.
type Progress struct {
	Stage       string // for people, such as "copying posts" or "comparing sets"
	Done, Total int64  // posts or sets; both are 0 in other stages
}

// Options configure a copy.
type Options struct {
	Source       poststore.Exporter
	Target       poststore.Importer
	Installation string         // that both stores belong to
	Report       func(Progress) // called after each step; may be nil
	Chunk        int            // number of posts in a part; 0: the default
}

// ErrSourceChanged means that a copy cannot continue because the source is not what it was when the
// copy began.
var ErrSourceChanged = errors.New("the posts have changed since the copy began. Please remove the unfinished copy, and begin again while the service is stopped")

// Copy copies everything from the source to the target, compares both, and accepts the target. If it
// fails or the process ends, another call continues. It returns the number of posts.
func Copy(ctx context.Context, o Options) (posts int64, err error) {
	c := &copier{Options: o}
	if c.Chunk == 0 {
		c.Chunk = chunk
	}
	if err := c.begin(ctx); err != nil {
		return 0, err
	}
	for _, stage := range []func(context.Context) error{c.posts, c.sets, c.snapshots, c.finish, c.verify} {
		if err := stage(ctx); err != nil {
			return 0, err
		}
	}
	return c.last.Posts, c.Target.Accept(ctx)
}

// A copier is a running copy.
type copier struct {
	Options
	last   poststore.Checkpoint
	months map[time.Time]bool // months with posts
	total  int64
}

// begin finds out where to continue.
func (c *copier) begin(ctx context.Context) error {
	stats, err := c.Source.Stats(ctx)
	if err != nil {
		return err
	}
	if n := len(stats.Quarantined); n > 0 {
		return fmt.Errorf("%d segments are damaged, so that posts are missing. Please run 'earshot repair' first", n)
	}
	c.total = stats.Posts
	source, err := c.identify(ctx)
	if err != nil {
		return err
	}
	c.last = c.Target.Checkpoint()
	switch {
	case c.last.Source == "":
		c.last = poststore.Checkpoint{Source: source, Began: time.Now().UTC(), Chunk: c.Chunk, After: poststore.FirstPost}
		return c.Target.Import(ctx, poststore.CopyPart{Next: c.last})
	case c.last.Source != source:
		return ErrSourceChanged
	}
	return nil
}

// identify returns a text that changes with the contents of the source.
func (c *copier) identify(ctx context.Context) (string, error) {
	at, err := c.Source.Position(ctx)
	if err != nil {
		return "", err
	}
	generations, err := c.Source.Generations(ctx)
	if err != nil {
		return "", err
	}
	print, err := c.Source.Fingerprint(ctx, 0, firstTime, endOfTime)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s/%d/%d/%x/%x", c.Installation, at, c.total, print, digest(generations)), nil
}

// part imports a part and moves on to the next checkpoint.
func (c *copier) part(ctx context.Context, p poststore.CopyPart) error {
	p.Next.Parts = c.last.Parts + 1
	if err := c.Target.Import(ctx, p); err != nil {
		return err
	}
	c.last = p.Next
	return nil
}

func (c *copier) report(stage string, done, total int64) {
	if c.Report != nil {
		c.Report(Progress{stage, done, max(total, done)})
	}
}

// posts copies the posts. While the target imports a part, the source reads the next one.
func (c *copier) posts(ctx context.Context) error {
	if c.last.Stage > poststore.CopyPosts {
		return nil
	}
	c.report("copying posts", c.last.Posts, c.total)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next := readAhead(ctx, c.Source, c.last.After, c.last.Chunk)
	for {
		found, err := next()
		if err != nil {
			return err
		}
		to := c.last
		if len(found) == 0 {
			to.Stage = poststore.CopySets
			return c.part(ctx, poststore.CopyPart{Next: to})
		}
		to.Posts += int64(len(found))
		to.After = poststore.CursorOf(&found[len(found)-1].Post)
		if err := c.part(ctx, poststore.CopyPart{Posts: found, Next: to}); err != nil {
			return err
		}
		c.report("copying posts", c.last.Posts, c.total)
	}
}

// sets copies what the source knows about sets.
func (c *copier) sets(ctx context.Context) error {
	if c.last.Stage > poststore.CopySets {
		return nil
	}
	ids, err := c.Source.SetIDs(ctx)
	if err != nil {
		return err
	}
	to, entries := c.last, 0
	var part poststore.CopyPart
	for i, id := range ids {
		if c.last.Set != 0 && id <= c.last.Set {
			continue
		}
		set, err := c.Source.ExportSet(ctx, id)
		if err != nil {
			return err
		}
		c.report("copying sets", int64(i), int64(len(ids)))
		part.Sets = append(part.Sets, set)
		to.Set = id
		if entries += 1 + len(set.Changes) + len(set.Counters); entries < maxEntries && i < len(ids)-1 {
			continue
		}
		part.Next = to
		if err := c.part(ctx, part); err != nil {
			return err
		}
		part, entries, to = poststore.CopyPart{}, 0, c.last
	}
	to.Stage = poststore.CopySnapshots
	return c.part(ctx, poststore.CopyPart{Next: to})
}

// snapshots copies the snapshots of accounts.
func (c *copier) snapshots(ctx context.Context) error {
	if c.last.Stage > poststore.CopySnapshots {
		return nil
	}
	c.report("copying snapshots", 0, 0)
	all, err := c.Source.ExportSnapshots(ctx)
	if err != nil {
		return err
	}
	to := c.last
	to.Stage = poststore.CopyFinish
	return c.part(ctx, poststore.CopyPart{Snapshots: all, Next: to})
}

// finish makes everything visible.
func (c *copier) finish(ctx context.Context) error {
	if c.last.Stage > poststore.CopyFinish {
		return nil
	}
	c.report("finishing the copy", 0, 0)
	at, err := c.Source.Position(ctx)
	if err != nil {
		return err
	}
	to := c.last
	to.Stage = poststore.CopyVerify
	to.Parts++
	if err := c.Target.Finish(ctx, at, to); err != nil {
		return err
	}
	c.last = to
	return nil
}

// readAhead returns a function that returns the next posts of a store each time, and none at the end.
// It reads them while the caller uses those before.
func readAhead(ctx context.Context, from poststore.Exporter, after poststore.CopyCursor, limit int) func() ([]poststore.StoredPost, error) {
	type result struct {
		posts []poststore.StoredPost
		err   error
	}
	results := make(chan result)
	go func() {
		for {
			posts, err := from.ExportPosts(ctx, after, limit)
			select {
			case <-ctx.Done():
				return
			case results <- result{posts, err}:
			}
			if err != nil || len(posts) == 0 {
				return
			}
			after = poststore.CursorOf(&posts[len(posts)-1].Post)
		}
	}()
	return func() ([]poststore.StoredPost, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case r := <-results:
			return r.posts, r.err
		}
	}
}
