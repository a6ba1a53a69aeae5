package segment

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// byNumber returns the rows whose number in a column is accepted.
func (x *index) byNumber(name string, accept func(uint64) bool, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	column, err := x.file.Uints(name)
	if err != nil {
		return nil, err
	}
	last := column.Min()
	verdict := accept(last)
	if last == column.Max() {
		return x.allOrNone(verdict, among), nil
	}
	return x.filter(x.orAll(among), func(row uint32) bool {
		if n := column.At(row); n != last { // neighbours often have the same
			last, verdict = n, accept(n)
		}
		return verdict
	}), nil
}

func (x *index) allOrNone(all bool, among *roaring.Bitmap) *roaring.Bitmap {
	if all {
		return x.orAll(among).Clone()
	}
	return roaring.New()
}

// byList returns the rows that have an accepted name in a column of lists. A row without
// any has none.
func (x *index) byList(name, dict string, flag uint64, accept func(string) bool, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	lists, err := x.file.Lists(name)
	if err != nil {
		return nil, err
	}
	names, err := x.file.Strings(dict)
	if err != nil {
		return nil, err
	}
	if lists.Limit() > names.Len() {
		return nil, x.file.corrupt(name, fmt.Sprintf("names up to %d of %d", lists.Limit(), names.Len()))
	}
	rows, err := x.byFlag(flag, func(set bool) bool { return set }, among)
	if err != nil {
		return nil, err
	}
	v := newVerdicts(names, func(name string) verdict {
		if accept(name) {
			return accepted
		}
		return rejected
	})
	if rows.GetCardinality() >= uint64(names.Len()) {
		if counts := v.decideAll(x, 0, uint32(names.Len()-1)); counts[accepted] == 0 {
			return roaring.New(), nil
		}
	}
	reader := lists.Reader()
	return x.filter(rows, func(row uint32) bool {
		x.buffer = reader.Append(x.buffer[:0], row)
		for _, number := range x.buffer {
			if v.at(number) == accepted {
				return true
			}
		}
		return false
	}), nil
}

// byFlag returns the rows with a flag, those without it, all or none, as is accepted.
func (x *index) byFlag(flag uint64, accept func(set bool) bool, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	flags, err := x.file.Sets(setFlags)
	if err != nil {
		return nil, err
	}
	with, without := accept(true), accept(false)
	switch {
	case with == without:
		return x.allOrNone(with, among), nil
	case without:
		return roaring.AndNot(x.orAll(among), flags.Bitmap(flag)), nil
	case among == nil:
		return flags.Bitmap(flag), nil
	}
	return roaring.And(flags.Bitmap(flag), among), nil
}

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
		if c.ID()%chunkRows == 0 && x.stopped() != nil {
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
