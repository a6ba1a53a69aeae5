package watchlist

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/query"
)

// A matcher is the scratch memory for matching. It works with any list, but only one goroutine may
// use it at a time.
type matcher struct {
	features []feature           // features of the post, without duplicates
	table    []feature           // hash set of features; 0 marks an empty slot
	bloom    bloomFilter         // Bloom filter of features, for checking postings
	lastPost []uint32            // by slot: the last post for which the entry was checked
	post     uint32              // sequence number of the current post
	social   []earshot.MonitorID // matching IDs of monitors that watch accounts, and of their filters
	own      []earshot.MonitorID // the IDs in social whose account wrote the post

	untilTimed                   int // entries to check before one is timed
	postingsRead, entriesChecked int // totals, for tests
}

// match is [List.Match]. It sets social and own to the other results of [List.MatchSocial].
func (m *matcher) match(l *List, d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	if slots := len(l.entries) * entriesInChunk; len(m.lastPost) < slots {
		m.lastPost, m.post = make([]uint32, slots+slots/8), 0
	}
	if m.post++; m.post == 0 { // wraps around after four billion posts
		clear(m.lastPost)
		m.post = 1
	}
	m.social, m.own = m.social[:0], m.own[:0]
	m.collect(l.kinds, d)
	start := len(into)
	for _, f := range m.features {
		postings := l.postings.find(f)
		for _, chunk := range postings.chunks {
			into = m.scan(l, chunk, d, into)
		}
		into = m.scan(l, postings.tail, d, into)
	}
	const sampleInterval = 8 // frequent enough to learn quickly, rare enough to cost little
	if m.post%sampleInterval == 0 {
		l.frequency.observe(m.features)
	}
	m.bloom.clear(m.features)
	slices.Sort(into[start:])
	slices.Sort(m.social)
	slices.Sort(m.own)
	return into
}

// timedInterval is the average number of entries of which one is timed: reading the clock takes as
// long as matching many a query.
const timedInterval = 64

// scan checks the entries whose guards the post passes, each at most once per post.
func (m *matcher) scan(l *List, postings []posting, d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	m.postingsRead += len(postings)
	for i := range postings {
		p := &postings[i]
		if !m.bloom.admits(p) || m.lastPost[p.slot] == m.post {
			continue
		}
		m.lastPost[p.slot] = m.post
		m.entriesChecked++
		e, before := l.entries.at(p.slot), len(into)
		if m.untilTimed--; m.untilTimed < 0 {
			m.untilTimed = rand.IntN(2 * timedInterval)
			start := time.Now()
			into = e.match(d, into)
			e.spent.Add(int64(time.Since(start)) * timedInterval)
		} else {
			into = e.match(d, into)
		}
		if matched := into[before:]; len(matched) > 0 && e.isSocial() {
			m.social = append(m.social, matched...)
			if e.condition.account.wrote(d.Post) {
				m.own = append(m.own, matched...)
			}
		}
	}
	return into
}

// collect computes the features of a post: anyPost, its words, and features of the given kinds.
func (m *matcher) collect(kinds featureKinds, d *query.Document) {
	m.resetTable(d.Len())
	m.bloom.add(anyPost)
	m.features = append(m.features[:0], anyPost)
	for i := range d.Len() {
		m.add(feature(d.TokenHash(i)))
	}
	if kinds == 0 {
		return
	}
	if kinds&(1<<kindHandle-1) != 0 {
		m.collectPrefixes(kinds, d)
	}
	if kinds.has(kindHandle) {
		m.collectHandles(d.Post)
	}
	if kinds.has(kindPage) && d.Post.PageID != "" {
		m.add(textFeature(kindPage, d.Post.PageID))
	}
	if kinds.has(kindSource) {
		m.add(textFeature(kindSource, string(d.Post.Source)))
	}
	if kinds.has(kindLanguage) {
		m.add(textFeature(kindLanguage, d.Post.Language))
	}
}

func (m *matcher) collectPrefixes(kinds featureKinds, d *query.Document) {
	for i := range d.Len() {
		word := d.Plain(i)
		first := packPrefix(word)
		for length := 1; length <= min(len(word), maxPrefix); length++ {
			if kinds.has(featureKind(length)) {
				m.add(prefixFeature(first, length))
			}
		}
	}
}

// collectHandles adds the author of the post and every handle that it may mention. The account
// later decides whether it is really a mention.
func (m *matcher) collectHandles(p *earshot.Post) {
	m.addHandle(p.Handle())
	for _, text := range [...]string{p.Title, p.Contents} {
		for _, rest, found := strings.Cut(text, "@"); found; _, rest, found = strings.Cut(rest, "@") {
			m.addHandle(rest)
		}
	}
}

func (m *matcher) addHandle(text string) {
	if f, ok := handleFeature(text); ok {
		m.add(f)
	}
}

// resetTable clears the table and makes it large enough for n features.
func (m *matcher) resetTable(n int) {
	size := 64
	for size < 2*n {
		size *= 2
	}
	if cap(m.table) < size {
		m.table = make([]feature, size)
	}
	m.table = m.table[:size]
	clear(m.table)
}

// add adds a feature unless the post already has it.
func (m *matcher) add(f feature) {
	if f == anyPost {
		return
	}
	mask := len(m.table) - 1
	i := int(f) & mask
	for m.table[i] != 0 {
		if m.table[i] == f {
			return
		}
		i = (i + 1) & mask
	}
	m.table[i] = f
	m.features = append(m.features, f)
	m.bloom.add(f)
	if 2*len(m.features) > len(m.table) {
		m.grow()
	}
}

// grow doubles the table.
func (m *matcher) grow() {
	features := m.features
	m.resetTable(len(features) * 2)
	m.features = features[:1]
	for _, f := range features[1:] {
		m.add(f)
	}
}
