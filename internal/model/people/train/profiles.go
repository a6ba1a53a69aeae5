package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"earshot/internal/model/people"
)

// A label is the class that annotators assigned to a profile.
type label uint8

const (
	male label = iota
	female
	brand
)

// An example is the evidence of a profile with its label.
type example struct {
	label  label
	weight float64
	dense  [people.Denses]float64
	groups [people.Groups]group
}

// A group holds hashed features and the weight of each.
type group struct {
	features []uint32 // hashes; indexes of weights after dropRare
	scale    float64
}

// readProfiles reads the labeled profiles.
func readProfiles(folder string, reader *people.Extractor) ([]example, error) {
	var list []example
	columns := []string{"gender", "username", "description", "text"}
	err := readTable(folder, "twitter_user_gender_train.tsv.gz", columns, func(fields []string) error {
		l, ok := map[string]label{"M": male, "F": female, "brand": brand}[fields[0]]
		if !ok {
			return fmt.Errorf("unknown gender %q", fields[0])
		}
		p := people.Profile{Username: fields[1], Bio: clean(fields[2]), Text: clean(fields[3])}
		list = append(list, newExample(reader, p, l))
		return nil
	})
	return list, err
}

func newExample(reader *people.Extractor, p people.Profile, l label) example {
	var e people.Evidence
	reader.Extract(p, &e)
	x := example{label: l, weight: 1}
	for i, v := range e.Dense {
		x.dense[i] = float64(v)
	}
	for g := range x.groups {
		features := e.Group(g)
		x.groups[g] = group{features: slices.Clone(features), scale: float64(people.Scale(g, len(features)))}
	}
	return x
}

// clean replaces non-ASCII characters with spaces. They are artifacts of characters that were lost
// in the data set.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return ' '
		}
		return r
	}, text)
}

// Which names are used as additional examples, and the weight of each relative to a profile.
const (
	minNamesakes = 200
	minNameOdds  = 1.5
	nameWeight   = 0.03
)

// nameExamples returns handles that consist of a first name. They train the n-grams of female and
// male names for names that are on no list, so they omit the features that depend on the list.
func nameExamples(r *register, reader *people.Extractor) []example {
	var list []example
	for i := range r.names {
		n := &r.names[i]
		odds := n.logOdds()
		if n.births() < minNamesakes || math.Abs(odds) < minNameOdds {
			continue
		}
		x := newExample(reader, people.Profile{Username: n.name}, male)
		if odds > 0 {
			x.label = female
		}
		x.weight = nameWeight
		x.dense = [people.Denses]float64{}
		x.groups[people.GroupSegment].features = nil
		list = append(list, x)
	}
	return list
}

// minExamples is the minimum number of examples for a feature to get a weight. Rarer features only
// cause collisions.
const minExamples = 3

// dropRare drops rare features and converts the others to indexes of weights.
func dropRare(lists ...[]example) {
	examples := make(map[uint32]int)
	each(lists, func(features []uint32) []uint32 {
		slices.Sort(features)
		for i, f := range features {
			if i == 0 || f != features[i-1] {
				examples[f]++
			}
		}
		return features
	})
	each(lists, func(features []uint32) []uint32 {
		kept := features[:0]
		for _, f := range features {
			if examples[f] >= minExamples {
				kept = append(kept, f>>(32-people.HashBits))
			}
		}
		return kept
	})
}

// each replaces the features of every group of every example.
func each(lists [][]example, change func([]uint32) []uint32) {
	for _, list := range lists {
		for i := range list {
			for g := range list[i].groups {
				features := &list[i].groups[g].features
				*features = change(*features)
			}
		}
	}
}
