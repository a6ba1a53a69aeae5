package watchlist

import (
	"iter"
	"slices"
)

// A list is the postings under a number, in no order. It is immutable: what
// changes it makes another, which shares the full chunks.
type list struct {
	few  []posting   // less than a chunk; all there are under most numbers
	more [][]posting // chunks
}

const chunkSize = 256

// all yields the postings.
func (l list) all() iter.Seq[posting] {
	return func(yield func(posting) bool) {
		for _, chunk := range append([][]posting{l.few}, l.more...) {
			for _, p := range chunk {
				if !yield(p) {
					return
				}
			}
		}
	}
}

func (l list) empty() bool { return len(l.few) == 0 && len(l.more) == 0 }

// plus returns the list with more postings.
func (l list) plus(added []posting) list {
	if len(added) == 0 {
		return l
	}
	few := slices.Concat(l.few, added)
	if len(few) < chunkSize {
		return list{few, l.more}
	}
	more := slices.Clone(l.more)
	for len(few) >= chunkSize {
		more = append(more, slices.Clone(few[:chunkSize]))
		few = few[chunkSize:]
	}
	return list{slices.Clone(few), more}
}

// without returns the list without the posting of an entry. Another one takes its
// place when that is in a chunk.
func (l list) without(slot uint32) list {
	of := func(p posting) bool { return p.slot == slot }
	if i := slices.IndexFunc(l.few, of); i >= 0 {
		return list{slices.Concat(l.few[:i], l.few[i+1:]), l.more}
	}
	for c, chunk := range l.more {
		if i := slices.IndexFunc(chunk, of); i >= 0 {
			return l.replace(c, i)
		}
	}
	return l
}

// replace puts one of few in the place of a posting of a chunk.
func (l list) replace(c, i int) list {
	few, more := l.few, slices.Clone(l.more)
	if last := len(more) - 1; len(few) == 0 {
		few = more[last]
		if more = more[:last]; c == last {
			return list{slices.Concat(few[:i], few[i+1:]), more}
		}
	}
	more[c] = slices.Clone(more[c])
	more[c][i] = few[len(few)-1]
	return list{slices.Clone(few[:len(few)-1]), more}
}
