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
	numbers []number // of the post, each once
	table   []number // the same, by their bits, to tell whether one is there; 0 is empty
	sieve   sieve    // the same again, for postings
	stamps  []uint32 // by slot: the last post for which the entry was looked at
	post    uint32
	social  []earshot.MonitorID // monitors and filters of the post that watch accounts
	own     []earshot.MonitorID // those of social whose account wrote the post

	brought, decided int // postings under the posts' numbers, and entries asked, in all
}

// match is List.Match, and leaves in social and own what List.MatchSocial also returns.
func (m *matcher) match(l *List, d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	m.begin(l)
	m.social, m.own = m.social[:0], m.own[:0]
	m.gather(l.traits, d)
	start := len(into)
	for _, n := range m.numbers {
		under := l.words.find(n)
		for _, chunk := range under.more {
			into = m.scan(l, chunk, d, into)
		}
		into = m.scan(l, under.few, d, into)
	}
	m.end(l.frequency)
	slices.Sort(into[start:])
	slices.Sort(m.social)
	slices.Sort(m.own)
	return into
}

// scan asks the entries that postings let through, each once a post.
func (m *matcher) scan(l *List, postings []posting, d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	m.brought += len(postings)
	for i := range postings {
		p := &postings[i]
		if !m.sieve.admits(p) || m.stamps[p.slot] == m.post {
			continue
		}
		m.stamps[p.slot] = m.post
		m.decided++
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
	if slots := len(l.entries) * entriesInChunk; len(m.stamps) < slots {
		m.stamps, m.post = make([]uint32, slots+slots/8), 0
	}
	if m.post++; m.post == 0 { // after four thousand million posts
		clear(m.stamps)
		m.post = 1
	}
}

// end clears the sieve and, once in a while, learns from the post.
func (m *matcher) end(f *frequency) {
	const sample = 8
	if m.post%sample == 0 {
		f.learn(m.numbers)
	}
	m.sieve.clear(m.numbers)
}

// gather makes the numbers of a post: everything, its words and the traits asked for.
func (m *matcher) gather(asked traits, d *query.Document) {
	m.room(d.Len())
	m.sieve.add(everything)
	m.numbers = append(m.numbers[:0], everything)
	for i := range d.Len() {
		m.add(number(d.TokenHash(i)))
	}
	if asked == 0 {
		return
	}
	if asked&(1<<ofHandle-1) != 0 {
		m.gatherBeginnings(asked, d)
	}
	if asked.has(ofHandle) {
		m.gatherHandles(d.Post)
	}
	if asked.has(ofPage) && d.Post.PageID != "" {
		m.add(named(ofPage, d.Post.PageID))
	}
	if asked.has(ofSource) {
		m.add(named(ofSource, string(d.Post.Source)))
	}
	if asked.has(ofLanguage) {
		m.add(named(ofLanguage, d.Post.Language))
	}
}

func (m *matcher) gatherBeginnings(asked traits, d *query.Document) {
	for i := range d.Len() {
		word := d.Plain(i)
		first := opening(word)
		for length := 1; length <= min(len(word), longestPrefix); length++ {
			if asked.has(trait(length)) {
				m.add(beginning(first, length))
			}
		}
	}
}

// gatherHandles adds whoever wrote the post and whoever it may mention. What looks
// like a mention and is none is for the account to tell.
func (m *matcher) gatherHandles(p *earshot.Post) {
	m.addHandle(p.Handle())
	for _, text := range [...]string{p.Title, p.Contents} {
		for _, rest, found := strings.Cut(text, "@"); found; _, rest, found = strings.Cut(rest, "@") {
			m.addHandle(rest)
		}
	}
}

func (m *matcher) addHandle(text string) {
	if n, ok := handled(text); ok {
		m.add(n)
	}
}

// room empties the table and makes it large enough for so many numbers at least.
func (m *matcher) room(n int) {
	size := 64
	for size < 2*n {
		size *= 2
	}
	if cap(m.table) < size {
		m.table = make([]number, size)
	}
	m.table = m.table[:size]
	clear(m.table)
}

// add adds a number unless it is there.
func (m *matcher) add(n number) {
	if n == everything {
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
	m.numbers = append(m.numbers, n)
	m.sieve.add(n)
	if 2*len(m.numbers) > len(m.table) {
		m.grow()
	}
}

// grow makes room for more numbers than there are words.
func (m *matcher) grow() {
	numbers := m.numbers
	m.room(len(numbers) * 2)
	m.numbers = numbers[:1]
	for _, n := range numbers[1:] {
		m.add(n)
	}
}
