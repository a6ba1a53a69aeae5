package train

import (
	"math"
	"math/bits"
	"slices"

	"earshot/internal/model/people"
)

// Limits of the register of first names. Rarer names are noise.
const (
	minBirths      = 30   // minimum for a name to be included
	minDatedBirths = 1500 // minimum for a name's birth years to be included
	maxNameLetters = 20   // letters; longer entries are several names written together
)

// A firstName is the information that the tables have about a name.
type firstName struct {
	name         string
	female, male int
	years        [2 * people.YearBytes]int // births in the United States, in spans of five years
}

// A register is the list of first names and the file built from it.
type register struct {
	names []firstName // sorted
	file  []byte
}

// buildFirstNames reads the tables of first names.
func buildFirstNames(folder string) (*register, error) {
	all := make(map[string]*firstName)
	for _, table := range []string{"us_ssa_first_name_gender.tsv.gz", "uk_first_name_gender.tsv.gz"} {
		if err := addGenders(all, folder, table); err != nil {
			return nil, err
		}
	}
	if err := addYears(all, folder); err != nil {
		return nil, err
	}
	r := new(register)
	for _, n := range all {
		if n.births() >= minBirths && len(n.name) > 1 && len(n.name) <= maxNameLetters {
			r.names = append(r.names, *n)
		}
	}
	slices.SortFunc(r.names, func(a, b firstName) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	var err error
	r.file, err = r.pack()
	return r, err
}

func addGenders(all map[string]*firstName, folder, table string) error {
	return readTable(folder, table, []string{"name", "female", "male"}, func(fields []string) error {
		female, err := parseCount(fields[1])
		if err != nil {
			return err
		}
		male, err := parseCount(fields[2])
		if err != nil {
			return err
		}
		name := plain(fields[0])
		if all[name] == nil {
			all[name] = &firstName{name: name}
		}
		all[name].female += female
		all[name].male += male
		return nil
	})
}

func addYears(all map[string]*firstName, folder string) error {
	return readTable(folder, "us_ssa_first_name_birth5y.tsv.gz", []string{"name", "sex", "1880"}, func(fields []string) error {
		n := all[plain(fields[0])]
		for span, field := range fields[2:] {
			births, err := parseCount(field)
			if err != nil {
				return err
			}
			if n != nil && span < len(n.years) {
				n.years[span] += births
			}
		}
		return nil
	})
}

func (n *firstName) births() int { return n.female + n.male }

// errorRate is the assumed error rate of a register, so that no name is certain.
const errorRate = 0.005

// logOdds returns the log odds that a bearer is a woman.
func (n *firstName) logOdds() float64 {
	mistaken := 0.5 + float64(errorRate*float64(n.births()))
	return math.Log((float64(n.female) + mistaken) / (float64(n.male) + mistaken))
}

// pack encodes the register in the format that package people reads.
func (r *register) pack() ([]byte, error) {
	var p packer
	var words []string
	var odds, fame []byte
	for i := range r.names {
		n := &r.names[i]
		words = append(words, n.name)
		odds = append(odds, byte(int8(math.Round(n.logOdds()/people.OddsStep))))
		fame = append(fame, byte(bits.Len(uint(n.births()))-1))
	}
	p.count(len(words))
	p.list(words)
	p.Write(odds)
	p.Write(fame)
	r.packYears(&p)
	return p.pack()
}

// packYears encodes the birth years of common names.
func (r *register) packYears(p *packer) {
	var dated []int
	for i := range r.names {
		total := 0
		for _, births := range r.names[i].years {
			total += births
		}
		if total >= minDatedBirths {
			dated = append(dated, i)
		}
	}
	p.count(len(dated))
	last := 0
	for _, i := range dated {
		p.count(i - last)
		last = i
	}
	for _, i := range dated {
		p.Write(packSpans(r.names[i].years))
	}
}

// packSpans encodes births in proportion to the largest span.
func packSpans(years [2 * people.YearBytes]int) []byte {
	packed := make([]byte, people.YearBytes)
	most := slices.Max(years[:])
	for span, births := range years {
		packed[span/2] |= byte((15*births+most/2)/most) << (4 * (span % 2))
	}
	return packed
}
