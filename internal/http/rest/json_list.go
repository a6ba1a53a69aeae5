package rest

import "iter"

// MapSeq applies f to each element of a list that is produced while it is encoded.
func MapSeq[T, R any](list iter.Seq[T], f func(T) R) Seq[R] {
	return func(yield func(R) bool) {
		for v := range list {
			if !yield(f(v)) {
				return
			}
		}
	}
}
