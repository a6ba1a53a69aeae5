// Package erasure deletes everything by an author and prevents it from being stored again. An author
// is identified by a handle, a profile ID or a page ID; see [earshot.Post.AccountNames].
//
// An erasure consists of three steps, each of which is harmless to repeat:
//
//   - It stores a mark: a keyed hash of the author's name. From then on, [Service.Filter] removes the
//     author's posts from everything that is about to be stored, whether they were uploaded,
//     imported or delivered by a live source. The marks do not reveal who was erased, but anyone who
//     has the installation's secret can check whether a given author was.
//   - It removes the author's posts from the training posts of opinion monitors, whose models are
//     then retrained, and the notes, tags and stars that people gave the author's posts.
//   - It appends one deletion to the journal. It covers all networks and content sources, and posts
//     that are in the journal but not stored yet.
//
// Streams and caches need no separate step: a stream skips posts that are no longer stored, and
// cached results are valid only for the posts that they were computed from.
//
// It is a separate service rather than part of content because its scope is wider: training posts
// belong to monitors, and the filter belongs to the pipeline.
package erasure

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// A Journal durably stores deletions.
type Journal interface {
	Append(ctx context.Context, e journal.Entry) (earshot.Position, error)
}

// Posts finds stored posts.
type Posts interface {
	Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error)
}

// Training has the training posts of all monitors.
type Training interface {
	// RemoveWhere removes the training posts that match from all monitors, on behalf of c, and
	// returns their number. With dryRun, it only counts them.
	RemoveWhere(ctx context.Context, c *earshot.Caller, match func(*earshot.TrainingPost) bool, dryRun bool) (int, error)
}

// Marks has what people wrote down about posts, or corrected.
type Marks interface {
	// RemovePosts removes what any team keeps about some posts, and returns the number of marks.
	RemovePosts(ctx context.Context, posts []earshot.PostKey) (int, error)
}

// A Service erases authors.
type Service struct {
	Catalog  *catalog.Catalog
	Journal  Journal
	Posts    Posts
	Training Training
	Marks    []Marks
	Secret   []byte // of the installation
	Now      func() time.Time

	marks   atomic.Pointer[marks] // nil: not read yet
	skipped atomic.Int64
}

// A Request names the author to erase.
type Request struct {
	Network earshot.Source // only posts of this network; empty: of all networks and content sources
	Author  string         // handle, profile ID or page ID
	DryRun  bool           // only count
}

// A Result counts what was erased, or would be.
type Result struct {
	Posts    int64 `json:"posts"`    // stored posts
	Training int   `json:"training"` // training posts
}

// maxAuthor is the maximum length of a name, the same as for other texts of a post.
const maxAuthor = 2048

// Erase erases an author on behalf of c. When it returns, no more posts of the author are stored,
// and stored ones disappear as soon as the journal is processed. Posts that the journal has but the
// store does not are erased without being counted.
func (s *Service) Erase(ctx context.Context, c *earshot.Caller, r Request) (Result, error) {
	name := earshot.AccountName(r.Author)
	if name == "" {
		return Result{}, earshot.InvalidBody("author is missing: enter a handle, a profile ID or a page ID")
	}
	if err := earshot.CheckText("author", name, 1, maxAuthor); err != nil {
		return Result{}, err
	}
	if r.Network != "" {
		network, ok := earshot.FindNetwork(string(r.Network))
		if !ok {
			return Result{}, earshot.InvalidBody("network '%s' is unknown; the networks are %s", earshot.Clip(string(r.Network), 100), networks())
		}
		r.Network = network
	}
	if !r.DryRun {
		if err := s.mark(ctx, r.Network, name); err != nil {
			return Result{}, fmt.Errorf("mark the author as erased: %w", err)
		}
	}
	found, err := s.find(ctx, r.Network, name)
	if err != nil {
		return Result{}, fmt.Errorf("find posts of the author: %w", err)
	}
	result := Result{Posts: int64(len(found.posts))}
	for _, id := range found.accounts {
		if r.DryRun {
			break
		}
		if err := s.mark(ctx, earshot.Bluesky, id); err != nil {
			return Result{}, fmt.Errorf("mark an account of the author as erased: %w", err)
		}
	}
	byAuthor := func(t *earshot.TrainingPost) bool {
		if r.Network != "" && t.Source != r.Network {
			return false
		}
		p := t.Post()
		return found.links[t.URL] || isBy(&p, name)
	}
	if result.Training, err = s.Training.RemoveWhere(ctx, c, byAuthor, r.DryRun); err != nil {
		return Result{}, fmt.Errorf("erase training posts: %w", err)
	}
	if r.DryRun {
		return result, nil
	}
	for _, m := range s.Marks { // before the posts, because a repetition would not find them
		if _, err := m.RemovePosts(ctx, found.posts); err != nil {
			return Result{}, fmt.Errorf("remove marks of the author's posts: %w", err)
		}
	}
	if len(found.accounts) > 0 { // first, because without the author's posts a repetition would not find the IDs
		if _, err := s.Journal.Append(ctx, journal.Entry{Deletion: &earshot.Deletion{Source: earshot.Bluesky, Accounts: found.accounts}}); err != nil {
			return Result{}, err
		}
	}
	_, err = s.Journal.Append(ctx, journal.Entry{Deletion: &earshot.Deletion{Source: r.Network, Accounts: []string{name}}})
	return result, err
}

func networks() string {
	names := make([]string, len(earshot.Networks))
	for i, n := range earshot.Networks {
		names[i] = string(n)
	}
	return strings.Join(names, ", ")
}

func isBy(p *earshot.Post, name string) bool {
	for account := range p.AccountNames() {
		if account == name {
			return true
		}
	}
	return false
}

// pageSize is the number of posts that are read together.
const pageSize = 1000

// An author's posts, as find returns them.
type found struct {
	posts    []earshot.PostKey
	links    map[string]bool // URLs and guids
	accounts []string        // permanent IDs of Bluesky accounts
}

// find returns the stored posts of an author, and their URLs and guids, by which training posts
// refer to them. Training posts have only the author's display name. It also returns the permanent
// IDs of the Bluesky accounts that have the name as their handle: posts come without the handle
// while the server that knows it is down.
func (s *Service) find(ctx context.Context, network earshot.Source, name string) (f found, err error) {
	of := poststore.Selection{Accounts: []string{name}}
	if network != "" {
		of.Sources = []earshot.Source{network}
	}
	f.links = map[string]bool{}
	add := func(p *earshot.Post) {
		f.posts = append(f.posts, p.Key())
		f.links[strings.TrimSpace(p.URL)], f.links[strings.TrimSpace(p.GUID)] = true, true
	}
	err = s.each(ctx, of, func(p *earshot.Post) {
		add(p)
		if id := accountID(p, name); id != "" && !slices.Contains(f.accounts, id) {
			f.accounts = append(f.accounts, id)
		}
	})
	if err == nil && len(f.accounts) > 0 {
		err = s.each(ctx, poststore.Selection{Accounts: f.accounts, Sources: []earshot.Source{earshot.Bluesky}}, func(p *earshot.Post) {
			if !isBy(p, name) {
				add(p)
			}
		})
	}
	delete(f.links, "")
	return f, err
}

// accountID returns the permanent ID of the Bluesky account that a post is from, if a name is the
// account's handle.
func accountID(p *earshot.Post, name string) string {
	id := earshot.AccountName(p.PageID)
	if p.ContentSource != 0 || p.Source != earshot.Bluesky || earshot.AccountName(p.AuthorUsername) != name || !strings.HasPrefix(id, "did:") {
		return ""
	}
	return id
}

// each calls f with the selected posts.
func (s *Service) each(ctx context.Context, of poststore.Selection, f func(*earshot.Post)) error {
	for {
		posts, _, err := s.Posts.Posts(ctx, of, pageSize)
		if err != nil {
			return err
		}
		for i := range posts {
			if of.FromPost == nil || i > 0 { // the first one was on the previous page
				f(&posts[i])
			}
		}
		if len(posts) < pageSize {
			return nil
		}
		of.FromPost = &posts[len(posts)-1]
	}
}

// marks are the erased authors.
type marks struct {
	version  uint64 // of the table that they were read from
	all      map[mark]bool
	networks bool   // some are for one network only
	key      []byte // derived from the secret
}

// A mark is a keyed hash of a network and a name.
type mark [16]byte

// markPurpose separates the key of the marks from other keys that are derived from the installation's
// secret.
const markPurpose = "earshot erased authors v1"

// newMark returns the mark of an author on a network, or on all networks. h is a keyed hash.
func newMark(h hash.Hash, network earshot.Source, name string) (m mark) {
	h.Reset()
	io.WriteString(h, string(network)+"\x00"+name)
	copy(m[:], h.Sum(nil))
	return m
}

func (m *marks) hash() hash.Hash { return hmac.New(sha256.New, m.key) }

// mark stores the mark of an author, unless it exists.
func (s *Service) mark(ctx context.Context, network earshot.Source, name string) error {
	marks, err := s.current()
	if err != nil {
		return err
	}
	m := newMark(marks.hash(), network, name)
	if marks.all[m] {
		return nil
	}
	id, err := s.Catalog.NextIDs(ctx, 1)
	if err != nil {
		return err
	}
	e := &earshot.Erasure{ID: earshot.ErasureID(id), Mark: m[:], OneNetwork: network != "", Time: s.Now().UTC().Truncate(time.Second)}
	return s.Catalog.Erasures.Add(ctx, e.ID, e)
}

// current returns the marks as of now.
func (s *Service) current() (*marks, error) {
	known := s.marks.Load()
	if known != nil {
		if _, version := s.Catalog.Erasures.Changes(known.version); version == known.version {
			return known, nil
		}
	}
	key, err := hkdf.Key(sha256.New, s.Secret, nil, markPurpose, sha256.Size)
	if err != nil {
		return nil, err
	}
	_, version := s.Catalog.Erasures.Changes(math.MaxUint64)
	m := &marks{version: version, all: map[mark]bool{}, key: key}
	for _, e := range s.Catalog.Erasures.List() {
		if len(e.Mark) == len(mark{}) {
			m.all[mark(e.Mark)] = true
			m.networks = m.networks || e.OneNetwork
		}
	}
	s.marks.Store(m)
	return m, nil
}

// Filter removes posts of erased authors. It changes the slice in place.
func (s *Service) Filter(posts []earshot.Post) ([]earshot.Post, error) {
	m, err := s.current()
	if err != nil || len(m.all) == 0 {
		return posts, err
	}
	h := m.hash()
	kept := slices.DeleteFunc(posts, func(p earshot.Post) bool { return m.has(h, &p) })
	s.skipped.Add(int64(len(posts) - len(kept)))
	return kept, nil
}

// has reports whether the author of a post is marked.
func (m *marks) has(h hash.Hash, p *earshot.Post) bool {
	for name := range p.AccountNames() {
		if m.all[newMark(h, "", name)] || m.networks && p.ContentSource == 0 && m.all[newMark(h, p.Source, name)] {
			return true
		}
	}
	return false
}

// Skipped returns the number of posts that Filter has removed since startup.
func (s *Service) Skipped() int64 { return s.skipped.Load() }
