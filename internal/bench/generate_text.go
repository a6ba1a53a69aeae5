package bench

// How often the texts of a sample are varied. In tweets, 19 of 20 links are new. Even after several
// million tweets, every third or fourth has a word that none of the earlier ones had, such as a
// name, a hashtag or a typo.
const (
	newLinkPercent    = 95
	otherWordPercent  = 12 // of words: replaced with a word from another text in the same language
	madeUpWordPercent = 30 // of texts: one word replaced with one that hardly occurs elsewhere
	hashtagPercent    = 6  // of texts: an additional hashtag at the end
)

// A text is the contents of a post, and what enrichment finds in them.
type text struct {
	contents string
	hashtags []string
	links    []string
}

// vary writes a variation of a draft's text.
func (w *writer) vary(of *draft, d *rng) text {
	w.buf, w.links = w.buf[:0], w.links[:0]
	contents, at, madeUp := of.contents, int32(0), d.chance(madeUpWordPercent)
	words, links := of.words, of.links
	for len(words)+len(links) > 0 {
		if len(links) == 0 || len(words) > 0 && words[0].start < links[0].start {
			word := words[0]
			words = words[1:]
			if madeUp || d.chance(otherWordPercent) {
				w.buf = append(w.buf, contents[at:word.start]...)
				w.word(of.kindred, madeUp, d)
				at, madeUp = word.end, false
			}
			continue
		}
		w.buf = append(w.buf, contents[at:links[0].start]...)
		w.link(contents, links[0], d)
		at, links = links[0].end, links[1:]
	}
	w.buf = append(w.buf, contents[at:]...)
	hashtags := w.addHashtag(of.hashtags, d)
	made := text{contents: string(w.buf), hashtags: hashtags}
	for _, l := range w.links {
		made.links = append(made.links, l.of(made.contents))
	}
	return made
}

// word appends a random word from the drafts.
func (w *writer) word(among *alternatives, madeUp bool, d *rng) {
	from := &w.g.Sample.drafts[among.drafts[d.below(len(among.drafts))]]
	if len(from.words) > 0 {
		w.buf = append(w.buf, from.words[d.below(len(from.words))].of(from.contents)...)
	}
	if madeUp {
		w.buf = appendLetters(w.buf, uint64(26+d.skewed(w.g.Count+1000)))
	}
}

// link appends a variation of a link and records its position.
func (w *writer) link(contents string, like span, d *rng) {
	start := len(w.buf)
	code := codeOf(contents, like)
	if code.start == code.end || !d.chance(newLinkPercent) {
		w.buf = append(w.buf, like.of(contents)...)
	} else {
		w.buf = append(w.buf, contents[like.start:code.start]...)
		w.buf = appendCode(w.buf, d.next(), int(code.end-code.start))
		w.buf = append(w.buf, contents[code.end:like.end]...)
	}
	w.links = append(w.links, newSpan(start, len(w.buf)))
}

// addHashtag sometimes appends another hashtag. It returns the hashtags of the resulting text.
func (w *writer) addHashtag(has []string, d *rng) []string {
	if !d.chance(hashtagPercent) {
		return has
	}
	other := w.g.Sample.drafts[d.below(len(w.g.Sample.drafts))].hashtags
	if len(other) == 0 {
		return has
	}
	tag := other[0]
	w.buf = append(append(w.buf, " #"...), tag...)
	all := append(make([]string, 0, len(has)+1), has...)
	for _, t := range has {
		if t == tag {
			return all
		}
	}
	return append(all, tag)
}

// appendLetters appends a number in lowercase letters, base 26.
func appendLetters(b []byte, n uint64) []byte {
	for ; n > 0; n /= 26 {
		b = append(b, 'a'+byte(n%26))
	}
	return b
}

// appendCode appends up to n characters of the kind that URL shorteners use. It appends at most
// ten, which is what fits in x.
func appendCode(b []byte, x uint64, n int) []byte {
	const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789AB"
	for range min(n, 10) {
		b = append(b, characters[x&63])
		x >>= 6
	}
	return b
}
