package watchlist

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/query"
)

// A matcher is the memory that matching takes, for one goroutine at a time. It
// goes with any list.
type matcher struct {
	features []feature   // of the post, each once
	table    []feature   // the same, by their bits, to tell whether one is there; 0 is empty
	bloom    bloomFilter // the same again, for postings
	lastPost []uint32    // by slot: the last post for which the entry was looked at
	post     uint32
	social   []earshot.MonitorID // monitors and filters of the post that watch accounts
	own      []earshot.MonitorID // those of social whose account wrote the post

	postingsRead, entriesChecked int // postings under the posts' numbers, and entries asked, in all
}

// match is List.Match, and leaves in social and own what List.MatchSocial also returns.
func (m *matcher) match(l *List, d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	m.begin(l)
	m.social, m.own = m.social[:0], m.own[:0]
	m.collect(l.kinds, d)
	start := len(into)
	for _, n := range m.features {
		under := l.postings.find(n)
		for _, chunk := range under.chunks {
			into = m.scan(l, chunk, d, into)
		}
		into = m.scan(l, under.tail, d, into)
	}
	m.end(l.frequency)
	slices.Sort(into[start:])
	slices.Sort(m.social)
	slices.Sort(m.own)
	return into
}

// scan asks the entries that postings let through, each once a post.
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
		into = e.match(d, into)
		if matched := into[before:]; len(matched) > 0 && e.isSocial() {
			m.social = append(m.social, matched...)
			if e.condition.account.wrote(d.Post) {
				m.own = append(m.own, matched...)
			}
		}
	}
	return into
}

// begin prepares for the next post.
func (m *matcher) begin(l *List) {
	if slots := len(l.entries) * entriesInChunk; len(m.lastPost) < slots {
		m.lastPost, m.post = make([]uint32, slots+slots/8), 0
	}
	if m.post++; m.post == 0 { // after four thousand million posts
		clear(m.lastPost)
		m.post = 1
	}
}

// end clears the sieve and, once in a while, learns from the post.
func (m *matcher) end(f *frequencySketch) {
	const sample = 8
	if m.post%sample == 0 {
		f.observe(m.features)
	}
	m.bloom.clear(m.features)
}

// collect makes the numbers of a post: everything, its words and the traits asked for.
func (m *matcher) collect(asked featureKinds, d *query.Document) {
	m.resetTable(d.Len())
	m.bloom.add(anyPost)
	m.features = append(m.features[:0], anyPost)
	for i := range d.Len() {
		m.add(feature(d.TokenHash(i)))
	}
	if asked == 0 {
		return
	}
	if asked&(1<<kindHandle-1) != 0 {
		m.collectPrefixes(asked, d)
	}
	if asked.has(kindHandle) {
		m.collectHandles(d.Post)
	}
	if asked.has(kindPage) && d.Post.PageID != "" {
		m.add(textFeature(kindPage, d.Post.PageID))
	}
	if asked.has(kindSource) {
		m.add(textFeature(kindSource, string(d.Post.Source)))
	}
	if asked.has(kindLanguage) {
		m.add(textFeature(kindLanguage, d.Post.Language))
	}
}

func (m *matcher) collectPrefixes(asked featureKinds, d *query.Document) {
	for i := range d.Len() {
		word := d.Plain(i)
		first := packPrefix(word)
		for length := 1; length <= min(len(word), maxPrefix); length++ {
			if asked.has(featureKind(length)) {
				m.add(prefixFeature(first, length))
			}
		}
	}
}

// collectHandles adds whoever wrote the post and whoever it may mention. What looks
// like a mention and is none is for the account to tell.
func (m *matcher) collectHandles(p *earshot.Post) {
	m.addHandle(p.Handle())
	for _, text := range [...]string{p.Title, p.Contents} {
		for _, rest, found := strings.Cut(text, "@"); found; _, rest, found = strings.Cut(rest, "@") {
			m.addHandle(rest)
		}
	}
}

func (m *matcher) addHandle(text string) {
	if n, ok := handleFeature(text); ok {
		m.add(n)
	}
}

// resetTable empties the table and makes it large enough for so many numbers at least.
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

// add adds a number unless it is there.
func (m *matcher) add(n feature) {
	if n == anyPost {
		return
	}
	mask := len(m.table) - 1
	i := int(n) & mask
	for m.table[i] != 0 {
		if m.table[i] == n {
			return
		}
		i = (i + 1) & mask
	}
	m.table[i] = n
	m.features = append(m.features, n)
	m.bloom.add(n)
	if 2*len(m.features) > len(m.table) {
		m.grow()
	}
}

// grow makes room for more numbers than there are words.
func (m *matcher) grow() {
	numbers := m.features
	m.resetTable(len(numbers) * 2)
	m.features = numbers[:1]
	for _, n := range numbers[1:] {
		m.add(n)
	}
}
