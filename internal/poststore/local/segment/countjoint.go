package segment

import "math/bits"

// maxSpan is how much room the codes of one dimension may take, so that those of two fit
// in one number.
const maxSpan = 1 << 31

// A combiner combines the codes of several dimensions into one number, as the digits of
// one. Where that could become too large, what there is so far is numbered.
type combiner struct {
	spans   []uint64
	numbers []*numbering // of what precedes the dimension; nil where it is small enough
	span    uint64       // is more than every combination
}

// newCombiner combines dimensions, none of which has a larger span than maxSpan.
func newCombiner(dims []dimension) *combiner {
	j := &combiner{spans: make([]uint64, len(dims)), numbers: make([]*numbering, len(dims)), span: 1}
	for i, d := range dims {
		j.spans[i] = max(d.span(), 1)
		if hi, lo := bits.Mul64(j.span, j.spans[i]); hi > 0 || lo > maxSpan*maxSpan {
			j.numbers[i] = newNumbering()
			j.span = maxSpan
		}
		j.span *= j.spans[i]
	}
	return j
}

// add adds the codes of a dimension to those of the dimensions before.
func (j *combiner) add(groups []uint64, dim int, codes []uint64) {
	if j.numbers[dim] != nil {
		j.numbers[dim].numberAll(groups)
	}
	span := j.spans[dim]
	codes = codes[:len(groups)]
	for i, group := range groups {
		groups[i] = group*span + codes[i]
	}
}

// split appends the code that a combination has of each dimension.
func (j *combiner) split(group uint64, codes [][]uint64) {
	for dim := len(j.spans) - 1; dim >= 0; dim-- {
		codes[dim] = append(codes[dim], group%j.spans[dim])
		group /= j.spans[dim]
		if j.numbers[dim] != nil {
			group = j.numbers[dim].codes[group]
		}
	}
}

// bytes returns how much memory the combinations take.
func (j *combiner) bytes() (size int64) {
	for _, n := range j.numbers {
		if n != nil {
			size += n.bytes()
		}
	}
	return size
}
