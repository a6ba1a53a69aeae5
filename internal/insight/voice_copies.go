package insight

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// A copyCounter counts the posts that repeat, share or retweet posts of other authors. A post counts
// once: for the post it retweets, the one it links to, or the first one with
// its text or almost the same.
type copyCounter struct {
	reader  textReader
	posts   []heardPost
	byKey   map[earshot.PostKey]voiceKey
	byURL   map[string]voiceKey
	missing map[earshot.PostKey]int // retweeted posts that were not read
}

// A heardPost has what may make a post a copy of another.
type heardPost struct {
	by     voiceKey
	time   time.Time
	parent earshot.PostKey // of a retweet
	isNew  bool            // not a retweet
	text   heardText
	links  []string
}

func newCopyCounter() *copyCounter {
	return &copyCounter{byKey: map[earshot.PostKey]voiceKey{}, byURL: map[string]voiceKey{}, missing: map[earshot.PostKey]int{}}
}

func (c *copyCounter) add(p *earshot.Post) {
	h := heardPost{by: voiceOf(p), time: p.Time, isNew: p.Engagement != earshot.Retweet, text: c.reader.read(p)}
	if p.Engagement == earshot.Retweet && p.ParentGUID != "" {
		h.parent = p.Key()
		h.parent.GUID = p.ParentGUID
	} else if url := earshot.CanonicalLink(p.URL); url != "" {
		c.byURL[url] = h.by
	}
	for _, link := range p.Links {
		h.links = append(h.links, earshot.CanonicalLink(link))
	}
	c.byKey[p.Key()] = h.by
	c.posts = append(c.posts, h)
}

// findOriginals finds the retweeted posts of the period that were not read.
func (c *copyCounter) findOriginals(ctx context.Context, f *voiceFinder) error {
	for i := range c.posts {
		parent := c.posts[i].parent
		if _, read := c.byKey[parent]; parent.GUID != "" && !read {
			c.missing[parent]++
		}
	}
	keys := slices.SortedFunc(maps.Keys(c.missing), func(a, b earshot.PostKey) int {
		return cmp.Or(cmp.Compare(c.missing[b], c.missing[a]), strings.Compare(a.GUID, b.GUID))
	})
	found, err := f.Store.Find(ctx, keys[:min(len(keys), 10*voiceRows)])
	for i := range found {
		if at := found[i].Time; !at.Before(f.all.From) && at.Before(f.all.To) {
			c.byKey[found[i].Key()] = voiceOf(&found[i])
		}
	}
	return err
}

// count returns the number of copies by the author of the original.
func (c *copyCounter) count() map[voiceKey]int {
	slices.SortStableFunc(c.posts, func(a, b heardPost) int { return a.time.Compare(b.time) })
	counts := map[voiceKey]int{}
	var texts enginekit.Grouper
	var writers []voiceKey // of the first text of each group
	for i := range c.posts {
		p := &c.posts[i]
		original, found := c.byKey[p.parent]
		for k := 0; !found && k < len(p.links); k++ {
			original, found = c.byURL[p.links[k]]
			found = found && original != p.by
		}
		if group := p.text.group(&texts); group == len(writers) {
			writers = append(writers, voiceKey{})
			if p.isNew {
				writers[group] = p.by
			}
		} else if group >= 0 && !found {
			original = writers[group]
			found = original != voiceKey{}
		}
		if found && original != p.by {
			counts[original]++
		}
	}
	return counts
}

// A textReader describes texts for finding duplicates and near-duplicates.
type textReader struct {
	doc      query.Document
	sketcher enginekit.Sketcher
}

// A heardText is the text of a post.
type heardText struct {
	sketch   enginekit.Sketch
	shingles []uint32
	words    int
}

func (r *textReader) read(p *earshot.Post) (t heardText) {
	r.doc.Reset(p)
	r.sketcher.Reset()
	enginekit.WalkKeys(&r.doc, func(k query.KeyToken) {
		t.words++
		r.sketcher.Add(enginekit.WordHash(k))
	})
	t.sketch, t.shingles = r.sketcher.Sketch()
	t.shingles = slices.Clone(t.shingles)
	return t
}

// group adds a text to groups of duplicates and returns its group, or -1 if it is too short.
func (t *heardText) group(groups *enginekit.Grouper) int {
	if t.words < minCopyWords {
		return -1
	}
	return groups.Add(&t.sketch, t.shingles, func(int) []uint32 { return nil }) // a sample is small enough to keep all shingles
}
