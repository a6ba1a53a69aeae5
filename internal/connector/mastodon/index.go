package mastodon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"earshot/internal/state/kv"
)

const (
	chunkPosts = 250                 // the newest chunk is written whenever a post is stored: 25 KB
	maxChunks  = 400                 // 100,000 posts, in 2 MB of memory
	maxAge     = 30 * 24 * time.Hour // of a chunk
)

// An index remembers the stored posts: their ids on the server, their guids and their versions.
//
// Records in Env.Store contain all of it, in chunks in the order in which posts were stored. Only
// hashes of the IDs are in memory. Most deletions in a stream concern posts that are not stored, so
// they need no access to the records. The oldest chunk is forgotten when there are too many, or
// after 30 days.
//
// A crash must not leave a stored post without an entry, nor an entry with a version that is not
// stored. Posts are therefore added before they are stored, without a version, and get their version
// afterwards.
type index struct {
	store  kv.Store
	chunks []*chunk
	last   record // of the newest chunk
	dirty  bool   // the last record differs from the store
}

// A chunk is the part of a record that is in memory.
type chunk struct {
	number int64
	added  time.Time // when the last post was added
	posts  []hashed  // ordered by hash
}

// A hashed post is an entry of a chunk.
type hashed struct {
	hash    uint64 // of the id
	version uint32 // 0: unknown
	deleted bool
}

// A record is a chunk as it is stored.
type record struct {
	Added int64   `json:"added"` // Unix seconds
	Posts []entry `json:"posts"`
}

// An entry is a stored post.
type entry struct {
	ID      string `json:"id"` // on the server
	GUID    string `json:"uri"`
	Version uint32 `json:"v,omitempty"`
}

func chunkKey(number int64) string { return fmt.Sprintf("posts.%012d", number) }

func hashID(id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return h.Sum64()
}

// openIndex reads the records.
func openIndex(ctx context.Context, store kv.Store) (*index, error) {
	keys, err := store.Keys(ctx, "posts.*")
	if err != nil {
		return nil, fmt.Errorf("list stored posts: %w", err)
	}
	x := &index{store: store}
	for _, key := range keys {
		c := &chunk{}
		if _, err := fmt.Sscanf(key, "posts.%d", &c.number); err != nil {
			continue
		}
		rec, err := x.read(ctx, c.number)
		if err != nil {
			return nil, err
		}
		if rec.Posts == nil {
			continue
		}
		c.added = time.Unix(rec.Added, 0)
		for _, e := range rec.Posts {
			c.posts = append(c.posts, hashed{hash: hashID(e.ID), version: e.Version})
		}
		slices.SortFunc(c.posts, compareHashes)
		x.chunks, x.last = append(x.chunks, c), rec
	}
	return x, nil
}

func compareHashes(a, b hashed) int { return cmp.Compare(a.hash, b.hash) }

// read returns a record, or an empty one if there is none that can be decoded.
func (x *index) read(ctx context.Context, number int64) (rec record, err error) {
	e, err := x.store.Get(ctx, chunkKey(number))
	if errors.Is(err, kv.ErrNotFound) {
		return record{}, nil
	}
	if err != nil {
		return record{}, fmt.Errorf("read stored posts: %w", err)
	}
	if err := json.Unmarshal(e.Value, &rec); err != nil {
		return record{}, nil // changes to these posts are found when they arrive through the stream
	}
	return rec, nil
}

// find returns the chunk and the entry of a post, or nil.
func (x *index) find(id string) (*chunk, *hashed) {
	h := hashed{hash: hashID(id)}
	for _, c := range slices.Backward(x.chunks) {
		if i, ok := slices.BinarySearchFunc(c.posts, h, compareHashes); ok && !c.posts[i].deleted {
			return c, &c.posts[i]
		}
	}
	return nil, nil
}

// version returns the version of a stored post, which is 0 if it is not known whether the post was
// stored before a crash.
func (x *index) version(id string) (version uint32, known bool) {
	if _, h := x.find(id); h != nil {
		return h.version, true
	}
	return 0, false
}

// guid returns the guid of a stored post, or "".
func (x *index) guid(ctx context.Context, id string) (string, error) {
	c, _ := x.find(id)
	if c == nil {
		return "", nil
	}
	rec := x.last
	if c != x.chunks[len(x.chunks)-1] {
		var err error
		if rec, err = x.read(ctx, c.number); err != nil {
			return "", err
		}
	}
	if i := slices.IndexFunc(rec.Posts, func(e entry) bool { return e.ID == id }); i >= 0 {
		return rec.Posts[i].GUID, nil
	}
	return "", nil
}

// add remembers posts that are about to be stored. Known posts keep their version.
func (x *index) add(ctx context.Context, entries []entry, now time.Time) error {
	for _, e := range entries {
		if _, known := x.version(e.ID); known {
			continue
		}
		if len(x.chunks) == 0 || len(x.last.Posts) >= chunkPosts {
			if err := x.rotate(ctx, now); err != nil {
				return err
			}
		}
		c := x.chunks[len(x.chunks)-1]
		h := hashed{hash: hashID(e.ID)}
		i, _ := slices.BinarySearchFunc(c.posts, h, compareHashes)
		c.posts = slices.Insert(c.posts, i, h)
		c.added = now
		x.last.Added, x.last.Posts, x.dirty = now.Unix(), append(x.last.Posts, entry{ID: e.ID, GUID: e.GUID}), true
	}
	if len(entries) == 0 {
		return nil
	}
	return x.write(ctx)
}

// rotate starts a new chunk and forgets old ones.
func (x *index) rotate(ctx context.Context, now time.Time) error {
	next := &chunk{number: 1}
	if n := len(x.chunks); n > 0 {
		if err := x.write(ctx); err != nil {
			return err
		}
		next.number = x.chunks[n-1].number + 1
	}
	x.chunks, x.last = append(x.chunks, next), record{Posts: []entry{}}
	for len(x.chunks) > maxChunks || len(x.chunks) > 1 && now.Sub(x.chunks[0].added) > maxAge {
		if err := x.store.Purge(ctx, chunkKey(x.chunks[0].number)); err != nil {
			return fmt.Errorf("forget stored posts: %w", err)
		}
		x.chunks = x.chunks[1:]
	}
	return nil
}

// write writes the newest chunk if it changed.
func (x *index) write(ctx context.Context) error {
	if !x.dirty {
		return nil
	}
	value, err := json.Marshal(x.last)
	if err != nil {
		return err
	}
	if _, err := x.store.Set(ctx, chunkKey(x.chunks[len(x.chunks)-1].number), value); err != nil {
		return fmt.Errorf("remember stored posts: %w", err)
	}
	x.dirty = false
	return nil
}

// stored sets the version of a post after it was stored. It is written later, because losing it only
// costs storing the post once more.
func (x *index) stored(id string, version uint32) {
	c, h := x.find(id)
	if c == nil {
		return
	}
	h.version = version
	if c != x.chunks[len(x.chunks)-1] {
		return
	}
	for i := range x.last.Posts {
		if x.last.Posts[i].ID == id {
			x.last.Posts[i].Version, x.dirty = version, true
		}
	}
}

// remove forgets a deleted post. A record of an older chunk keeps it, because deleting a post again is
// harmless.
func (x *index) remove(id string) {
	c, h := x.find(id)
	if c == nil {
		return
	}
	h.deleted = true
	if c == x.chunks[len(x.chunks)-1] {
		x.last.Posts = slices.DeleteFunc(x.last.Posts, func(e entry) bool { return e.ID == id })
		x.dirty = true
	}
}

// recent returns the ids of the newest posts, newest first, of chunks to which a post was added after
// since. It returns at most n.
func (x *index) recent(ctx context.Context, since time.Time, n int) (ids []string, err error) {
	for i, c := range slices.Backward(x.chunks) {
		if c.added.Before(since) {
			break
		}
		rec := x.last
		if i < len(x.chunks)-1 {
			if rec, err = x.read(ctx, c.number); err != nil {
				return nil, err
			}
		}
		for _, e := range slices.Backward(rec.Posts) {
			if len(ids) == n {
				return ids, nil
			}
			if _, known := x.version(e.ID); known {
				ids = append(ids, e.ID)
			}
		}
	}
	return ids, nil
}
