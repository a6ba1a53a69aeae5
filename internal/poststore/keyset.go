package poststore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"

	"earshot"
)

// A KeySum is a hash of a post's key that identifies the post. It is long enough that constructing a
// post with the sum of a given post is infeasible. Stores write it to disk, so it must never change.
type KeySum [12]byte

// SumOf returns the hash of a key.
func SumOf(k earshot.PostKey) KeySum {
	var buf [128]byte // enough for almost all keys
	b := binary.AppendUvarint(buf[:0], uint64(k.ContentSource))
	b = binary.AppendUvarint(b, uint64(len(k.Source)))
	b = append(b, k.Source...)
	b = append(b, k.GUID...)
	sum := sha256.Sum256(b)
	return KeySum(sum[:])
}

// Compare returns the order of two sums as -1, 0 or 1.
func (k KeySum) Compare(other KeySum) int { return bytes.Compare(k[:], other[:]) }

// A KeySet is an immutable set of keys of posts. Build it once and use it in many selections: stores
// cache where its posts are.
type KeySet struct {
	sums        []KeySum // ascending
	fingerprint Fingerprint
}

// NewKeySet returns the set of the given keys. Duplicates have no effect.
func NewKeySet(keys iter.Seq[earshot.PostKey]) *KeySet {
	var sums []KeySum
	for k := range keys {
		sums = append(sums, SumOf(k))
	}
	return newKeySet(sums)
}

// newKeySet returns the set of the keys with the given sums, which it may modify.
func newKeySet(sums []KeySum) *KeySet {
	slices.SortFunc(sums, KeySum.Compare)
	s := &KeySet{sums: slices.Clip(slices.Compact(sums))}
	h := sha256.New()
	for i := range s.sums {
		_, _ = h.Write(s.sums[i][:]) // hashes never fail
	}
	s.fingerprint = Fingerprint(h.Sum(nil))
	return s
}

// Has reports whether the set contains a key.
func (s *KeySet) Has(k earshot.PostKey) bool {
	_, found := s.index(k)
	return found
}

// index returns the index of a key, in the order of Sums.
func (s *KeySet) index(k earshot.PostKey) (i int, found bool) {
	return slices.BinarySearchFunc(s.sums, SumOf(k), KeySum.Compare)
}

// Len returns the number of keys.
func (s *KeySet) Len() int { return len(s.sums) }

// Sums yields the hashes of the keys in ascending order.
func (s *KeySet) Sums() iter.Seq[KeySum] { return slices.Values(s.sums) }

// Fingerprint returns a hash of the set. Two sets have the same fingerprint only if they have the
// same keys.
func (s *KeySet) Fingerprint() Fingerprint { return s.fingerprint }
