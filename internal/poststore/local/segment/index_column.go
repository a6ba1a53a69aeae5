package segment

import (
	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// byNumber returns the rows whose number in a column is accepted.
func (x *index) byNumber(name string, accept func(uint64) bool, scope *roaring.Bitmap) (*roaring.Bitmap, error) {
	column, err := x.segment.Uints(name)
	if err != nil {
		return nil, err
	}
	last := column.Min()
	match := accept(last)
	if last == column.Max() {
		return x.allOrNone(match, scope), nil
	}
	return x.filter(x.orAll(scope), func(row uint32) bool {
		if n := column.At(row); n != last { // adjacent rows often have the same number
			last, match = n, accept(n)
		}
		return match
	}), nil
}

func (x *index) allOrNone(all bool, scope *roaring.Bitmap) *roaring.Bitmap {
	if all {
		return x.orAll(scope).Clone()
	}
	return roaring.New()
}

// byFlag returns, depending on accept, the rows with a flag, the rows without it, all rows or none.
func (x *index) byFlag(flag uint64, accept func(set bool) bool, scope *roaring.Bitmap) (*roaring.Bitmap, error) {
	flags, err := x.segment.Sets(setFlags)
	if err != nil {
		return nil, err
	}
	with, without := accept(true), accept(false)
	switch {
	case with == without:
		return x.allOrNone(with, scope), nil
	case without:
		return roaring.AndNot(x.orAll(scope), flags.Bitmap(flag)), nil
	case scope == nil:
		return flags.Bitmap(flag), nil
	}
	return roaring.And(flags.Bitmap(flag), scope), nil
}

// byList returns the rows with at least one accepted name in a column of lists.
func (x *index) byList(name, dict string, flag uint64, accept func(string) bool, scope *roaring.Bitmap) (*roaring.Bitmap, error) {
	lists, names, err := x.segment.openListColumn(name, dict)
	if err != nil {
		return nil, err
	}
	rows, err := x.byFlag(flag, func(set bool) bool { return set }, scope)
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

// minSkippedNames is the dictionary size above which byName evaluates only the names of the rows in
// scope, if the scope has fewer rows than the dictionary has names.
const minSkippedNames = 1024

// byName returns the rows whose name in a column is accepted. It evaluates each name once.
func (x *index) byName(f dictField, accept func(*earshot.Post) bool, scope *roaring.Bitmap) (query.RowSet, error) {
	column, names, err := x.segment.openDictColumn(f.column, f.dict)
	if err != nil || x.rows == 0 {
		return query.RowSet{Matches: roaring.New()}, err
	}
	p := new(earshot.Post)
	v := newVerdicts(names, func(name string) verdict {
		switch {
		case !f.put(p, name):
			return unsure
		case accept(p):
			return accepted
		}
		return rejected
	})
	first, last := uint32(column.Min()), uint32(column.Max())
	if span := last - first + 1; scope != nil && span > minSkippedNames && scope.GetCardinality() < uint64(span) {
		candidates := roaring.New()
		matches := x.filter(scope, func(row uint32) bool {
			decided := v.at(uint32(column.At(row)))
			if decided == unsure {
				candidates.Add(row)
			}
			return decided == accepted
		})
		return query.RowSet{Matches: matches, Candidates: candidates}, nil
	}
	counts := v.decideAll(x, first, last)
	found := query.RowSet{Matches: x.rowsWithVerdict(column, v, accepted, counts, scope)}
	if counts[unsure] > 0 {
		found.Candidates = x.rowsWithVerdict(column, v, unsure, counts, scope)
	}
	return found, nil
}

// rowsWithVerdict returns the rows whose name has the wanted verdict.
func (x *index) rowsWithVerdict(column *colfile.Uints, v *verdicts, want verdict, counts [unsure + 1]int, scope *roaring.Bitmap) *roaring.Bitmap {
	switch total := column.Max() - column.Min() + 1; counts[want] {
	case 0:
		return roaring.New()
	case int(total):
		return x.orAll(scope).Clone()
	}
	wanted := make([]uint8, len(v.verdicts))
	for i, decided := range v.verdicts {
		if decided == want {
			wanted[i] = 1
		}
	}
	return x.scanColumn(column, wanted[column.Base():], scope)
}

// A verdict states whether a name is accepted.
type verdict uint8

const (
	undecided verdict = iota
	rejected
	accepted
	unsure // the name alone is not sufficient to decide
)

// verdicts are the verdicts on the names in a dictionary, evaluated on first use.
type verdicts struct {
	names    *colfile.Strings
	verdicts []verdict
	decide   func(name string) verdict
}

func newVerdicts(names *colfile.Strings, decide func(string) verdict) *verdicts {
	return &verdicts{names, make([]verdict, names.Len()), decide}
}

// at returns the verdict on the name with a dictionary id.
func (v *verdicts) at(number uint32) verdict {
	if v.verdicts[number] == undecided {
		v.verdicts[number] = v.decide(v.names.At(number))
	}
	return v.verdicts[number]
}

// decideAll evaluates the names from first to last, inclusive, and counts the verdicts.
func (v *verdicts) decideAll(x *index, first, last uint32) (counts [unsure + 1]int) {
	for c := v.names.Cursor(first); c.Next() && c.ID() <= last; {
		if c.ID()%chunkRows == 0 && x.stopped() != nil {
			break
		}
		decided := v.decide(string(c.Text()))
		v.verdicts[c.ID()] = decided
		counts[decided]++
	}
	return counts
}
