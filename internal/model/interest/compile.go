package interest

import (
	"fmt"
	"maps"
	"slices"

	"earshot"
)

// A Term indicates an interest. Its spellings count as the same term, because finding a term twice
// adds no evidence.
type Term struct {
	Interest  earshot.InterestID // 0 if the term only prevents its words from counting on their own
	Strength  Strength
	Spellings []string // as in a text; a leading #, @ or $ makes it a tag
}

// Compile builds the table that New opens. It is deterministic.
func Compile(terms []Term) ([]byte, error) {
	c := compiler{
		folding:  newFolding(),
		values:   map[key]value{},
		postings: map[key][]posting{},
		numbers:  map[earshot.InterestID]uint16{},
	}
	for _, term := range terms {
		if err := c.add(term); err != nil {
			return nil, err
		}
	}
	return encode(c.entries()), nil
}

type compiler struct {
	folding  *folding
	values   map[key]value
	postings map[key][]posting
	numbers  map[earshot.InterestID]uint16 // number of the last term of each interest
}

func (c *compiler) add(term Term) error {
	place := nowhere
	if term.Interest != 0 {
		place = slices.IndexFunc(list[:], func(in Interest) bool { return in.ID == term.Interest })
		if place < 0 {
			return fmt.Errorf("unknown interest id %d", term.Interest)
		}
		if c.numbers[term.Interest] == maxTerm {
			return fmt.Errorf("%s has too many terms", list[place].Name)
		}
		c.numbers[term.Interest]++
	}
	p := newPosting(place, c.numbers[term.Interest], term.Strength)
	for _, spelling := range term.Spellings {
		if err := c.spell(spelling, p); err != nil {
			return err
		}
	}
	return nil
}

// spell adds a spelling of a term and all its prefixes.
func (c *compiler) spell(spelling string, p posting) error {
	s := scanner{text: spelling, folding: c.folding}
	w, ok := s.next()
	if !ok {
		return fmt.Errorf("%q has no words", spelling)
	}
	k := tagStart(w.sigil).then(w.hash)
	for w, ok = s.next(); ok; w, ok = s.next() {
		if !w.linked {
			return fmt.Errorf("%q: a phrase must not contain punctuation such as a comma", spelling)
		}
		c.values[k] |= hasMore
		k = k.then(w.hash)
	}
	if s.words > maxPhraseWords {
		return fmt.Errorf("%q has more than %d words", spelling, maxPhraseWords)
	}
	c.values[k] |= hasPostings
	if !slices.ContainsFunc(c.postings[k], func(q posting) bool { return q.interestIndex() == p.interestIndex() && q.strength() == p.strength() }) {
		c.postings[k] = append(c.postings[k], p)
	}
	return nil
}

// An entry is a key of the table with its data.
type entry struct {
	key      key
	more     bool
	postings []posting
}

// entries returns all entries, sorted by key.
func (c *compiler) entries() []entry {
	var all []entry
	for _, k := range slices.Sorted(maps.Keys(c.values)) {
		all = append(all, entry{key: k, more: c.values[k]&hasMore != 0, postings: c.postings[k]})
	}
	return all
}
