package segment

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// A verdict is what is known of a name.
type verdict uint8

const (
	undecided verdict = iota
	rejected
	accepted
	unsure // the name is not all that counts
)

// verdicts are those of the names in a dictionary.
type verdicts struct {
	names    *colfile.Strings
	verdicts []verdict
	decide   func(name string) verdict
}

func newVerdicts(names *colfile.Strings, judge func(string) verdict) *verdicts {
	return &verdicts{names, make([]verdict, names.Len()), judge}
}

// at returns the verdict of a name, by its number.
func (v *verdicts) at(number uint32) verdict {
	if v.verdicts[number] == undecided {
		v.verdicts[number] = v.decide(v.names.At(number))
	}
	return v.verdicts[number]
}

// decideAll asks for the names from a number to another, both included, and returns how many
// of them there are of each verdict.
func (v *verdicts) decideAll(x *index, first, last uint32) (counts [unsure + 1]int) {
	for c := v.names.Cursor(first); c.Next() && c.ID() <= last; {
		if c.ID()%rowsAtOnce == 0 && x.stopped() != nil {
			break
		}
		made := v.decide(string(c.Text()))
		v.verdicts[c.ID()] = made
		counts[made]++
	}
	return counts
}

// fewNames is up to how many names of a dictionary are asked for though few rows are.
const fewNames = 1024

// byName returns the rows whose name in a column is accepted. Where there are many names
// and few rows, only the names of those are asked for.
func (x *index) byName(f namedField, accept func(*earshot.Post) bool, among *roaring.Bitmap) (query.RowSet, error) {
	column, names, err := x.column(f.column, f.dict)
	if err != nil || x.rows == 0 {
		return query.RowSet{Matches: roaring.New()}, err
	}
	v := newVerdicts(names, judgeOf(f, accept))
	first, last := uint32(column.Min()), uint32(column.Max())
	if span := last - first + 1; among != nil && span > fewNames && among.GetCardinality() < uint64(span) {
		return x.byFewNames(column, v, among), nil
	}
	counts := v.decideAll(x, first, last)
	found := query.RowSet{Matches: x.rowsWithVerdict(column, v, accepted, counts, among)}
	if counts[unsure] > 0 {
		found.Candidates = x.rowsWithVerdict(column, v, unsure, counts, among)
	}
	return found, nil
}

// judgeOf returns the verdict of a field's names.
func judgeOf(f namedField, accept func(*earshot.Post) bool) func(string) verdict {
	p := new(earshot.Post)
	return func(name string) verdict {
		switch {
		case !f.put(p, name):
			return unsure
		case accept(p):
			return accepted
		}
		return rejected
	}
}

func (x *index) byFewNames(column *colfile.Uints, v *verdicts, among *roaring.Bitmap) query.RowSet {
	maybe := roaring.New()
	sure := x.filter(among, func(row uint32) bool {
		made := v.at(uint32(column.At(row)))
		if made == unsure {
			maybe.Add(row)
		}
		return made == accepted
	})
	return query.RowSet{Matches: sure, Candidates: maybe}
}

// column returns a column of names and their dictionary.
func (x *index) column(name, dict string) (*colfile.Uints, *colfile.Strings, error) {
	column, err := x.file.Uints(name)
	if err != nil {
		return nil, nil, err
	}
	names, err := x.file.Strings(dict)
	if err != nil {
		return nil, nil, err
	}
	if x.rows > 0 && column.Max() >= uint64(names.Len()) {
		return nil, nil, x.file.corrupt(name, fmt.Sprintf("name %d of %d", column.Max(), names.Len()))
	}
	return column, names, nil
}
