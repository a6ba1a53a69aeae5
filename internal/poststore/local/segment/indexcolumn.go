package segment

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
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
		x.spare = reader.Append(x.spare[:0], row)
		for _, number := range x.spare {
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
