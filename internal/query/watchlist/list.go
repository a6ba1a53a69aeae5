package watchlist

import (
	"iter"
	"slices"
)

// A postingList is the postings under a number, in no order. It is immutable: what
// changes it makes another, which shares the full chunks.
type postingList struct {
	tail   []posting   // less than a chunk; all there are under most numbers
	chunks [][]posting // chunks
}

const chunkSize = 256

// all yields the postings.
func (l postingList) all() iter.Seq[posting] {
	return func(yield func(posting) bool) {
		for _, chunk := range append([][]posting{l.tail}, l.chunks...) {
			for _, p := range chunk {
				if !yield(p) {
					return
				}
			}
		}
	}
}

func (l postingList) empty() bool { return len(l.tail) == 0 && len(l.chunks) == 0 }

// add returns the list with more postings.
func (l postingList) add(added []posting) postingList {
	if len(added) == 0 {
		return l
	}
	few := slices.Concat(l.tail, added)
	if len(few) < chunkSize {
		return postingList{few, l.chunks}
	}
	more := slices.Clone(l.chunks)
	for len(few) >= chunkSize {
		more = append(more, slices.Clone(few[:chunkSize]))
		few = few[chunkSize:]
	}
	return postingList{slices.Clone(few), more}
}

// remove returns the list without the posting of an entry. Another one takes its
// place when that is in a chunk.
func (l postingList) remove(slot uint32) postingList {
	of := func(p posting) bool { return p.slot == slot }
	if i := slices.IndexFunc(l.tail, of); i >= 0 {
		return postingList{slices.Concat(l.tail[:i], l.tail[i+1:]), l.chunks}
	}
	for c, chunk := range l.chunks {
		if i := slices.IndexFunc(chunk, of); i >= 0 {
			return l.replace(c, i)
		}
	}
	return l
}

// replace puts one of few in the place of a posting of a chunk.
func (l postingList) replace(c, i int) postingList {
	few, more := l.tail, slices.Clone(l.chunks)
	if last := len(more) - 1; len(few) == 0 {
		few = more[last]
		if more = more[:last]; c == last {
			return postingList{slices.Concat(few[:i], few[i+1:]), more}
		}
	}
	more[c] = slices.Clone(more[c])
	more[c][i] = few[len(few)-1]
	return postingList{slices.Clone(few[:len(few)-1]), more}
}
