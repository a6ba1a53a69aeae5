package bench

import (
	"encoding/binary"
	"encoding/hex"
	"iter"
	"strconv"
	"time"

	"earshot"
)

// A Generator generates distinct posts from a sample. Equal generators generate equal posts. It
// does not keep them in memory.
type Generator struct {
	Sample *Sample
	Seed   uint64
	Count  int
	From   time.Time
	Span   time.Duration // posts are dated within this duration after From, nearly in order

	// Custom makes every Custom-th post one of CustomSource; 0 for none.
	Custom int
	// Pictures gives every Pictures-th post a picture; 0 for none.
	Pictures int
	// Raw omits the attributes that enrichment adds to a post.
	Raw bool
}

// The content source of a generator's custom posts, and the team that owns it.
const (
	CustomSource earshot.ContentSourceID = earshot.FirstID
	CustomTeam   earshot.TeamID          = earshot.FirstID + 1
)

// postsPerAuthor is the average number of posts per author.
const postsPerAuthor = 4

// lateness is the maximum delay of a post relative to one that was written after it.
const lateness = 30 * time.Second

// Properties of posts other than their text.
const (
	geotaggedPercent = 3 // of posts whose author has a location
	likesDigits      = 3
	retweetsDigits   = 2
)

const postStream = 2 // kind for newRNG

// Posts yields the posts in the order of arrival.
func (g *Generator) Posts() iter.Seq[earshot.Post] {
	return func(yield func(earshot.Post) bool) {
		w := &writer{g: g}
		for i := range g.Count {
			var p earshot.Post
			w.write(&p, i)
			if !yield(p) {
				return
			}
		}
	}
}

// Batches yields the posts in slices of size. The last slice may be shorter. The caller owns the
// slices.
func (g *Generator) Batches(size int) iter.Seq[[]earshot.Post] {
	return func(yield func([]earshot.Post) bool) {
		w := &writer{g: g}
		for done := 0; done < g.Count; {
			batch := make([]earshot.Post, min(size, g.Count-done))
			for i := range batch {
				w.write(&batch[i], done+i)
			}
			done += len(batch)
			if !yield(batch) {
				return
			}
		}
	}
}

// CustomGUIDs returns the guids of the first n custom posts, or of all if there are fewer.
func (g *Generator) CustomGUIDs(n int) []string {
	var guids []string
	for i := 0; g.Custom > 0 && i < g.Count && len(guids) < n; i += g.Custom {
		guids = append(guids, g.guid(i))
	}
	return guids
}

// End returns the end of the time range, which all posts precede.
func (g *Generator) End() time.Time { return g.From.Add(g.Span) }

// A writer generates posts and reuses its buffers.
type writer struct {
	g     *Generator
	buf   []byte
	links []span
}

// write sets p, which must be zero, to post i.
func (w *writer) write(p *earshot.Post, i int) {
	g := w.g
	d := newRNG(g.Seed, postStream, i)
	of := &g.Sample.drafts[d.below(len(g.Sample.drafts))]
	by := g.person(d.skewed(max(g.Count/postsPerAuthor, 1)))
	source, site := w.origin(of.source, &d)
	made := w.vary(of, &d)
	p.Source, p.GUID, p.Time = source, g.guid(i), g.postTime(i, &d)
	p.URL = w.url(site, by.handle, d.next())
	p.Title, p.Contents, p.Language = of.title, made.contents, of.language
	by.sign(p)
	p.Geotagged = !by.place.IsZero() && d.chance(geotaggedPercent)
	p.Likes, p.Retweets = earshot.Counted(d.logUniform(likesDigits)), earshot.Counted(d.logUniform(retweetsDigits))
	p.Engagement = of.engagement
	if p.Engagement != earshot.OriginalPost && i > 0 {
		p.ParentGUID = g.guid(i - 1 - d.skewed(i))
	}
	if !g.Raw {
		p.Site, p.EngagingWith = site, of.engagingWith
		p.Hashtags, p.Mentions, p.Links = made.hashtags, of.mentions, made.links
	}
	if g.Pictures > 0 && i%g.Pictures == 0 {
		w.picture(p, i)
	}
	if g.Custom > 0 && i%g.Custom == 0 {
		p.Source, p.ContentSource, p.Team, p.Batch = "Benchmark", CustomSource, CustomTeam, "b1"
	}
}

// guid returns the guid of post i. All guids differ because mix is one-to-one.
func (g *Generator) guid(i int) string {
	var b [3 + 16]byte
	copy(b[:], "bn-")
	var x [8]byte
	binary.BigEndian.PutUint64(x[:], mix(g.Seed+uint64(i)))
	hex.Encode(b[3:], x[:])
	return string(b[:])
}

// postTime returns the time of post i, in whole seconds.
func (g *Generator) postTime(i int, d *rng) time.Time {
	arrived := time.Duration(float64(g.Span) * float64(i) / float64(g.Count))
	written := max(arrived-time.Duration(d.skewed(int(lateness))), 0)
	return g.From.Add(written).Truncate(time.Second)
}

// url returns the URL of a post.
func (w *writer) url(site, handle string, number uint64) string {
	w.buf = append(append(w.buf[:0], "https://"...), site...)
	w.buf = append(append(w.buf, '/'), handle...)
	w.buf = strconv.AppendUint(append(w.buf, "/status/"...), number>>4, 10)
	return string(w.buf)
}
