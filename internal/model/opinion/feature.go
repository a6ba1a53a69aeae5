package opinion

import (
	"math/bits"

	"earshot"
	"earshot/internal/model/classify"
)

// Maximum number of bytes read from a post's contents and title. Posts state their topic at the
// beginning, and long posts must not delay others.
const (
	maxBytes = 4096
	maxTitle = 512
)

// Features are grouped into blocks. Each block is normalized separately because, for example, a
// tweet has more n-grams than words.
const (
	words    = iota // words, word pairs, hashtags, mentions, sites
	ngrams          // character n-grams
	style           // length, capitals, punctuation
	inferred        // inferred by other models: sentiment, emotion, interests
	blocks
)

// blockWeight is the weight of each block. Style identifies authors, so it gets little weight: a
// larger one would improve individual predictions for a while, but would bias prevalence estimates
// as soon as habits change.
var blockWeight = [blocks]float32{words: 1, ngrams: 1, style: 0.2, inferred: 0.5}

// An extractor extracts the features of posts. It reuses its buffers.
type extractor struct {
	text     classify.Text
	hashes   []uint64
	features [blocks][]uint32
	seen     featureSet
	sums     []int32 // scratch space for Model.Score
}

// extract sets x.features to the distinct features of a post.
func (x *extractor) extract(p *earshot.Post) {
	for b := range x.features {
		x.features[b] = x.features[b][:0]
	}
	if p.Title != "" && p.Title != p.Contents {
		x.addText(p.Title, maxTitle)
	}
	x.addText(p.Contents, maxBytes)
	x.add(inferred, appendInferred(x.hashes[:0], p))
	x.addStyle(p.Contents)
}

// addText adds the words and n-grams of a text.
func (x *extractor) addText(text string, limit int) {
	x.text.Tokenize(text, limit)
	x.hashes = appendWords(x.hashes[:0], x.text.Tokens)
	x.hashes = appendTargets(x.hashes, text[:min(len(text), limit)])
	x.add(words, x.hashes)
	x.add(ngrams, appendNGrams(x.hashes[:0], &x.text))
}

// add adds features to a block without duplicates. A title and its text share features.
func (x *extractor) add(block int, hashes []uint64) {
	x.hashes = hashes
	old := x.features[block]
	x.seen.reset(len(old) + len(hashes))
	for _, f := range old {
		x.seen.add(f)
	}
	for _, h := range hashes {
		if f := newFeature(h, block); x.seen.add(f) {
			old = append(old, f)
		}
	}
	x.features[block] = old
}

// newFeature converts a hash to a feature. The two low bits are the block. A feature is never 0,
// which marks free slots in the table.
func newFeature(hash uint64, block int) uint32 {
	h := (hash ^ hash>>32) * 0x9e3779b97f4a7c15
	return max(uint32(h>>34)<<2|uint32(block), blocks)
}

// A featureSet is a set of features that resets quickly. The zero value is not usable before reset.
type featureSet struct {
	slots []slot
	round uint32 // slots from earlier rounds are free
	shift int
}

type slot struct{ feature, round uint32 }

// reset empties the set and reserves space for n features.
func (s *featureSet) reset(n int) {
	need := bits.Len(uint(2*n + 16))
	if len(s.slots) < 1<<need {
		s.slots, s.round = make([]slot, 1<<need), 0
	}
	if s.round++; s.round == 0 {
		clear(s.slots)
		s.round = 1
	}
	s.shift = 33 - bits.Len(uint(len(s.slots)))
}

// add adds a feature and reports whether it is new.
func (s *featureSet) add(feature uint32) bool {
	mask := uint32(len(s.slots) - 1)
	for at := feature * 0x9e3779b1 >> s.shift; ; at = (at + 1) & mask {
		switch free := s.slots[at].round != s.round; {
		case free:
			s.slots[at] = slot{feature, s.round}
			return true
		case s.slots[at].feature == feature:
			return false
		}
	}
}
