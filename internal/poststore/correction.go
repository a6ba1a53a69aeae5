package poststore

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"maps"
	"slices"

	"earshot"
)

// A Correction replaces what models inferred about a post.
type Correction struct {
	// Indexes of [earshot.BasicCategories] and [earshot.BasicEmotions] plus 1; 0: not corrected.
	Sentiment, Emotion uint8

	// Category is that of an opinion monitor; 0: not corrected. A post whose category is corrected is
	// in the CategorySets of that category and in those of no other. Its scores stay the same.
	Category earshot.CategoryID
}

// Apply sets the corrected attributes of a post.
func (c Correction) Apply(p *earshot.Post) {
	if i := int(c.Sentiment) - 1; i >= 0 && i < len(p.Sentiment) {
		p.Sentiment = earshot.Sentiment{}
		p.Sentiment[i] = 100
	}
	if i := int(c.Emotion) - 1; i >= 0 && i < len(p.Emotion) {
		p.Emotion = earshot.Emotion{}
		p.Emotion[i] = 100
	}
}

// Has reports whether a set contains a post with this correction, given whether it contained the post
// before.
func (c Correction) Has(id SetID, before bool) bool {
	if c.Category == 0 {
		return before
	}
	if category, assigned := id.Category(); assigned {
		return category == c.Category
	}
	return before || id == CorrectedSet(c.Category)
}

// Corrections are the corrections of some posts. They are immutable: build them once and use them in
// many selections. A nil *Corrections corrects nothing.
type Corrections struct {
	keys        *KeySet
	values      []correctionOf // in the order of keys
	categories  bool
	fingerprint Fingerprint
}

// A correctionOf is a correction with a hash of it and its post.
type correctionOf struct {
	Correction
	fingerprint Fingerprint
}

// NewCorrections returns the corrections of the posts with the given keys, or nil if they correct
// nothing.
func NewCorrections(of map[earshot.PostKey]Correction) *Corrections {
	bySum := make(map[KeySum]Correction, len(of))
	for k, c := range of {
		if c != (Correction{}) {
			bySum[SumOf(k)] = c
		}
	}
	if len(bySum) == 0 {
		return nil
	}
	all := &Corrections{keys: newKeySet(slices.Collect(maps.Keys(bySum))), values: make([]correctionOf, 0, len(bySum))}
	h := sha256.New()
	for _, sum := range all.keys.sums {
		c := bySum[sum]
		b := append(slices.Clone(sum[:]), c.Sentiment, c.Emotion)
		hash := sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(c.Category)))
		all.values = append(all.values, correctionOf{c, Fingerprint(hash[:])})
		all.categories = all.categories || c.Category != 0
		_, _ = h.Write(hash[:]) // hashes never fail
	}
	all.fingerprint = Fingerprint(h.Sum(nil))
	return all
}

// Keys returns the keys of the corrected posts.
func (c *Corrections) Keys() *KeySet { return c.keys }

// At returns the correction of the post whose key is the i-th of Keys, and a hash of both.
func (c *Corrections) At(i int) (Correction, Fingerprint) {
	return c.values[i].Correction, c.values[i].fingerprint
}

// All yields the corrections with the hashes of their keys, in the order of Keys.
func (c *Corrections) All() iter.Seq2[KeySum, Correction] {
	return func(yield func(KeySum, Correction) bool) {
		for i := range c.values {
			if !yield(c.keys.sums[i], c.values[i].Correction) {
				return
			}
		}
	}
}

// Of returns the correction of a post, which is zero if there is none.
func (c *Corrections) Of(k earshot.PostKey) Correction {
	if c == nil {
		return Correction{}
	}
	i, found := c.keys.index(k)
	if !found {
		return Correction{}
	}
	return c.values[i].Correction
}

// Apply sets the corrected attributes of a post.
func (c *Corrections) Apply(p *earshot.Post) {
	if c != nil {
		c.Of(p.Key()).Apply(p)
	}
}

// HasCategories reports whether the category of a post is corrected.
func (c *Corrections) HasCategories() bool { return c != nil && c.categories }

// Fingerprint returns a hash of the corrections. It is zero if there are none.
func (c *Corrections) Fingerprint() Fingerprint {
	if c == nil {
		return Fingerprint{}
	}
	return c.fingerprint
}
