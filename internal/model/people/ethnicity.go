package people

import (
	"iter"
	"sort"
	"strings"
)

// MinSurnames is how many different surnames it takes to tell anything: below it,
// an answer would be one about persons.
const MinSurnames = 20

// Shares are the expected shares of groups among many people, going by how common
// their surnames are in each. They add up to 1 where Known is not 0.
type Shares struct {
	White, Latino, Black, Asian, Other float64

	Known int64 // people with a surname that was found; 0 when nothing can be told
}

// surnames are the surnames of the US Census with the shares of their bearers.
type surnames struct {
	letters string
	ends    []uint32  // of each name in letters; the names are in order
	percent [4][]byte // of white, latino, black and Asian bearers
}

// readSurnames reads a file of surnames: how many there are, the names, and their
// shares, group by group.
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

// find returns the place of a name.
func (s *surnames) find(name string) (int, bool) {
	return sort.Find(len(s.ends), func(i int) int { return strings.Compare(name, s.name(i)) })
}

// Ethnicity returns the shares among people with these names, which are as shown:
// display names, "handle (Display Name)" or handles. Each name counts once for each
// time that it comes. Shares are of the United States and of groups, never of one
// person: fewer than MinSurnames different surnames give none.
func (m *Model) Ethnicity(names iter.Seq[string]) Shares {
	people := make(map[string]int64)
	for name := range names {
		if surname := m.Surname(name); surname != "" {
			people[surname]++
		}
	}
	return m.EthnicityOf(people)
}

// EthnicityOf is Ethnicity for people that are counted by Surname already.
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
