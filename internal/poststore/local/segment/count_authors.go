package segment

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// authorSets are the distinct authors of each group. With few groups and many rows, they are a
// bitmap with one bit per group and author. Otherwise they are a list of pairs, which is
// deduplicated each time it has doubled in size.
type authorSets struct {
	segment   *Segment
	authors   *dictDim
	bits      []uint64 // indexed by group and author
	words     uint64   // number of words in bits per group
	pairs     []uint64 // group in the upper 32 bits, author in the lower
	compacted int      // length of the prefix of pairs that is sorted and distinct
}

// authorSets returns empty sets for the given number of groups.
func (q *countQuery) authorSets(groups uint64) (*authorSets, error) {
	authors, err := q.segment.dictDim(poststore.ByAuthor, colAuthor, dictAuthor, appendAuthorKey)
	if err != nil {
		return nil, err
	}
	a := &authorSets{segment: q.segment, authors: authors, words: authors.span()/64 + 1}
	// A list would take 64 bits per row.
	if hi, all := bits.Mul64(groups, a.words); hi == 0 && all <= q.size {
		a.bits = make([]uint64, all)
	}
	return a, nil
}

// add adds the authors of rows to their groups.
func (a *authorSets) add(groups, scratch []uint64, rows []uint32) {
	a.authors.read(scratch, rows)
	scratch = scratch[:len(groups)]
	if a.bits != nil {
		for i, group := range groups {
			a.bits[group*a.words+scratch[i]/64] |= 1 << (scratch[i] % 64)
		}
		return
	}
	for i, group := range groups {
		a.pairs = append(a.pairs, group<<32|scratch[i])
	}
	const minCompact = 1 << 20
	if len(a.pairs) > max(minCompact, 2*a.compacted) {
		a.compactPairs()
	}
}

// compactPairs sorts pairs and removes duplicates.
func (a *authorSets) compactPairs() {
	sortNumbers(a.pairs)
	a.pairs = slices.Compact(a.pairs)
	a.compacted = len(a.pairs)
}

// authorsOf returns the authors of groups, which must be ascending.
func (a *authorSets) authorsOf(groups []uint32) (m groupAuthors) {
	m.ends = make([]uint32, len(groups))
	var codes []uint64 // codes of authors, grouped by group
	if a.bits != nil {
		n := 0
		for _, word := range a.bits {
			n += bits.OnesCount64(word)
		}
		codes = make([]uint64, 0, n)
		for i, group := range groups {
			codes = appendBits(codes, a.bits[uint64(group)*a.words:][:a.words])
			m.ends[i] = uint32(len(codes))
		}
	} else {
		a.compactPairs()
		codes = make([]uint64, 0, len(a.pairs))
		pairs := a.pairs
		for i, group := range groups {
			for len(pairs) > 0 && pairs[0]>>32 < uint64(group) {
				pairs = pairs[1:]
			}
			for len(pairs) > 0 && pairs[0]>>32 == uint64(group) {
				codes = append(codes, pairs[0]&(1<<32-1))
				pairs = pairs[1:]
			}
			m.ends[i] = uint32(len(codes))
		}
	}
	m.members, m.authors, m.cached = a.segment.hashAuthors(a.authors, codes)
	return m
}

// appendBits appends the positions of the bits that are set.
func appendBits(to []uint64, words []uint64) []uint64 {
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			to = append(to, uint64(64*i+bits.TrailingZeros64(word)))
		}
	}
	return to
}

func (a *authorSets) bytes() int64 { return 8 * int64(cap(a.pairs)+len(a.bits)) }

// An authorHash represents the key of an author, so that authors of several segments can be
// compared without reading their names. It has 128 bits and is computed with secret seeds, so
// collisions are negligible and cannot be provoked. Posts without an author have the zero hash.
type authorHash [2]uint64

// authorSeeds are the seeds of all author hashes in this process.
var authorSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func hashAuthor(key []byte) authorHash {
	if len(key) == 0 {
		return authorHash{}
	}
	return authorHash{maphash.Bytes(authorSeeds[0], key), maphash.Bytes(authorSeeds[1], key)}
}

// authorHashCache caches the hashes of a dictionary of authors. Reading the keys would take most of
// the time of a query that counts authors.
type authorHashCache struct {
	mu     sync.Mutex
	hashes []authorHash // guarded by mu; indexed by dictionary id, nil until first use
}

// maxCachedAuthors is the maximum number of authors in a segment whose hashes are cached, which
// takes 16 MB.
const maxCachedAuthors = 1 << 20

// of returns the hashes of all authors by dictionary id. It returns nil if there are too many to
// cache, or if the caller needs so few that computing them is faster.
func (a *authorHashCache) of(dict *colfile.Strings, needed int) []authorHash {
	const minShare = 16 // build the cache if at least 1/16 of the authors are needed
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hashes != nil || dict.Len() > maxCachedAuthors || minShare*needed < dict.Len() {
		return a.hashes
	}
	hashes := make([]authorHash, 0, dict.Len())
	var key []byte
	for c := dict.Cursor(0); c.Next(); {
		key = appendAuthorKey(key[:0], c.Text())
		hashes = append(hashes, hashAuthor(key))
	}
	a.hashes = hashes
	return hashes
}

// hashAuthors returns hashes of authors and, for each code, the index of its hash. If cached is
// true, the hashes belong to the segment's cache and must not be modified.
func (s *Segment) hashAuthors(authors *dictDim, codes []uint64) (hashIndex []uint32, hashes []authorHash, cached bool) {
	all, base := s.authorHashes.of(authors.dict, len(codes)), authors.values.Base()
	const dense = 4
	if all != nil && dense*len(codes) >= len(all) {
		hashIndex = make([]uint32, len(codes))
		for i, code := range codes {
			hashIndex[i] = uint32(code + base)
		}
		return hashIndex, all, true
	}
	distinct, same := distinctCodes(codes)
	hashes = make([]authorHash, len(distinct))
	hashIndex = make([]uint32, len(distinct))
	appendKey := authors.keyFunc(false)
	var key []byte
	for i, code := range distinct {
		hashIndex[i] = uint32(i)
		if all != nil {
			hashes[i] = all[code+base]
			continue
		}
		key = appendKey(key[:0], code)
		hashes[i] = hashAuthor(key)
	}
	if !same {
		hashIndex = lookUp(codes, distinct, hashIndex)
	}
	return hashIndex, hashes, false
}

// An authorTable assigns consecutive numbers to hashes, starting at 0, in the order in which they
// first occur.
type authorTable struct {
	hashes []authorHash // indexed by number
	slots  []uint64     // open addressing by hash[0]: half of hash[1], and number+1; 0 is free
}

// newAuthorTable returns a table with capacity for the given number of hashes.
func newAuthorTable(capacity int) *authorTable {
	slots := 16
	for slots < 2*capacity {
		slots *= 2
	}
	return &authorTable{hashes: make([]authorHash, 0, capacity), slots: make([]uint64, slots)}
}

// add returns the number of a hash, adding it if it is new.
func (t *authorTable) add(hash authorHash) uint32 {
	const half = 1<<32 - 1
	mask, tag := uint64(len(t.slots)-1), hash[1]&^half
	i := hash[0] & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if slot := t.slots[i]; slot&^half == tag && t.hashes[slot&half-1] == hash {
			return uint32(slot&half - 1)
		}
	}
	t.hashes = append(t.hashes, hash)
	t.slots[i] = tag | uint64(len(t.hashes))
	if 2*len(t.hashes) > len(t.slots) {
		t.grow()
	}
	return uint32(len(t.hashes) - 1)
}

func (t *authorTable) grow() {
	old := t.slots
	t.slots = make([]uint64, 2*len(old))
	mask := uint64(len(t.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := t.hashes[uint32(slot)-1][0] & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slot
	}
}

// bytes returns the memory used by the table.
func (t *authorTable) bytes() int64 { return 16*int64(cap(t.hashes)) + 8*int64(len(t.slots)) }
