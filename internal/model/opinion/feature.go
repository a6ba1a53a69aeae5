package opinion

import (
	"earshot"
	"earshot/internal/model/classify"
)

// How much of a post is read. What it is about is said at its beginning, and a long one
// must not hold up the others.
const (
	maxBytes = 4096
	maxTitle = 512
)

// Features come in blocks. The features of a block count as much together, however many
// there are: a tweet has more letters than words.
const (
	words   = iota // words, pairs of them, hashtags, mentions, sites
	letters        // parts of words
	style          // how it is written: length, capitals, punctuation
	mood           // what models told of the post
	blocks
)

// blockWeight is how much each block counts. Style tells authors apart, and counts little:
// with more, single posts are told better for a while, but proportions go wrong as soon
// as habits change.
var blockWeight = [blocks]float32{words: 1, letters: 1, style: 0.2, mood: 0.5}

// A reader finds the features of posts. It keeps its memory.
type reader struct {
	text     classify.Text
	hashes   []uint64
	features [blocks][]uint32
	seen     set
	sums     []int32 // for Score
}

// read makes r.features those of a post, each once.
func (r *reader) read(p *earshot.Post) {
	for b := range r.features {
		r.features[b] = r.features[b][:0]
	}
	if p.Title != "" && p.Title != p.Contents {
		r.readText(p.Title, maxTitle)
	}
	r.readText(p.Contents, maxBytes)
	r.keep(mood, appendMood(r.hashes[:0], p))
	r.readStyle(p.Contents)
}

// readText adds the words and letters of a text.
func (r *reader) readText(text string, limit int) {
	r.text.Split(text, limit)
	r.hashes = appendWords(r.hashes[:0], r.text.Tokens)
	r.hashes = appendTargets(r.hashes, text[:min(len(text), limit)])
	r.keep(words, r.hashes)
	r.keep(letters, appendLetters(r.hashes[:0], &r.text))
}

// keep adds features to a block. A title and a text are few, so what stands in both is
// found by looking at all features again.
func (r *reader) keep(block int, hashes []uint64) {
	r.hashes = hashes
	old := r.features[block]
	r.seen.reset(len(old) + len(hashes))
	for _, f := range old {
		r.seen.add(f)
	}
	for _, h := range hashes {
		if f := fold(h, block); r.seen.add(f) {
			old = append(old, f)
		}
	}
	r.features[block] = old
}

// fold makes a feature of a hash. Its last two bits are the block, and none is below
// blocks, so that 0 is none.
func fold(hash uint64, block int) uint32 {
	h := (hash ^ hash>>32) * 0x9e3779b97f4a7c15
	return max(uint32(h>>34)<<2|uint32(block), blocks)
}
