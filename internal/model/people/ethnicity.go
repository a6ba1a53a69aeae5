package people

import (
	"iter"
	"sort"
	"strings"
)

// MinSurnames is the minimum number of distinct surnames for an estimate. With fewer, the result
// would be about individuals.
const MinSurnames = 20

// Shares are the expected shares of ethnic groups among many people, based on how common their
// surnames are in each group. They sum to 1 unless Known is 0.
type Shares struct {
	White, Latino, Black, Asian, Other float64

	Known int64 // people with a known surname; 0 if there is no estimate
}

// surnames are the surnames of the US Census, with the shares of their bearers in each group.
type surnames struct {
	letters string
	ends    []uint32  // end of each name in letters; names are sorted
	percent [4][]byte // percentages of white, Latino, Black and Asian bearers
}

// readSurnames reads a file of surnames: their number, the names, and the percentages group by
// group.
func readSurnames(packed []byte) (*surnames, error) {
	f := unpack(packed)
	count := f.count()
	s := &surnames{}
	var letters strings.Builder
	f.list(count, func(name []byte) {
		letters.Write(name)
		s.ends = append(s.ends, uint32(letters.Len()))
	})
	s.letters = letters.String()
	for group := range s.percent {
		s.percent[group] = f.bytes(count)
	}
	return s, f.err
}

func (s *surnames) name(i int) string {
	from := uint32(0)
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.letters[from:s.ends[i]]
}

// find returns the index of a name.
func (s *surnames) find(name string) (int, bool) {
	return sort.Find(len(s.ends), func(i int) int { return strings.Compare(name, s.name(i)) })
}

// Ethnicity returns the shares among people with the given names: display names, "handle (Display
// Name)" or handles. A name that occurs several times counts each time. Shares are based on the
// United States and describe groups, never individuals: with fewer than MinSurnames distinct
// surnames, it returns none.
func (m *Model) Ethnicity(names iter.Seq[string]) Shares {
	people := make(map[string]int64)
	for name := range names {
		if surname := m.Surname(name); surname != "" {
			people[surname]++
		}
	}
	return m.EthnicityOf(people)
}

// EthnicityOf is [Model.Ethnicity] for people who are already counted by [Model.Surname].
func (m *Model) EthnicityOf(people map[string]int64) Shares {
	var b Population
	for surname, n := range people {
		if p := m.Percents(surname); n > 0 && p.Known {
			b.Add(p, n)
			b.AddSurname(surname)
		}
	}
	return b.Shares()
}
