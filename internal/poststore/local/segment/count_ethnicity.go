package segment

import (
	"iter"
	"sync"

	"earshot/internal/model/people"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// A percentCache caches the census percentages of a segment's surnames, indexed by dictionary id.
// Looking them up takes longer than counting.
type percentCache struct {
	once     sync.Once
	percents []people.Percents
}

func (c *percentCache) of(surnames *colfile.Strings) []people.Percents {
	c.once.Do(func() {
		c.percents = make([]people.Percents, surnames.Len())
		for names := surnames.Cursor(0); names.Next(); {
			c.percents[names.ID()] = enginekit.Percents(string(names.Text()))
		}
	})
	return c.percents
}

// planEthnicity counts by surname, from which ethnicity is estimated.
func (q *countQuery) planEthnicity() error {
	surnames, err := q.segment.dictDim(poststore.ByEthnicity, colSurname, dictSurname, appendText)
	if err != nil {
		return err
	}
	var counts iter.Seq2[uint64, uint32]
	if q.dense(surnames.span(), 4) {
		var h *histogram
		h, err = q.histogram(surnames.values)
		counts = func(yield func(uint64, uint32) bool) { eachCount(h.totals(), nil, yield) }
	} else {
		var g *grouper
		g, err = q.group([]dimension{surnames}, nil)
		counts = func(yield func(uint64, uint32) bool) { eachCount(g.posts, g.numbers.codes, yield) }
	}
	q.partials = append(q.partials, func() partial { return partial{bearers: q.segment.bearers(surnames, counts)} })
	return err
}

// eachCount yields the nonzero counts with their codes. If codes is nil, the code of a count is its
// index.
func eachCount(counts []uint32, codes []uint64, yield func(uint64, uint32) bool) {
	for i, n := range counts {
		code := uint64(i)
		if codes != nil {
			code = codes[i]
		}
		if n > 0 && !yield(code, n) {
			return
		}
	}
}

// bearers returns the population with the counted surnames.
func (s *Segment) bearers(surnames *dictDim, counts iter.Seq2[uint64, uint32]) *people.Population {
	b := new(people.Population)
	percents := s.surnamePercents.of(surnames.dict)
	for code, n := range counts {
		number := code + surnames.values.Base()
		if !percents[number].Known {
			continue
		}
		b.Add(percents[number], int64(n))
		if !b.IsSufficient() {
			b.AddSurname(surnames.dict.At(uint32(number)))
		}
	}
	return b
}

func sumEthnicity(tally int, counts []*Counts) []poststore.Row {
	var all people.Population
	for _, c := range counts {
		all.AddAll(c.tallies[tally].bearers)
	}
	return enginekit.EthnicityRows(&all)
}
