package geo

import _ "embed"

// A NameKind says how a place is called by a name, strongest first. It and what else
// is told of the table of names and of the bands is exported for gen, which writes them.
type NameKind uint8

const (
	Name      NameKind = iota // what it is called
	Alternate                 // another name, often in another language or time
	Code                      // letters like NY that stand for it
	Suffix                    // letters like DE that mean it behind the name of a place in it
)

// The embedded table of names tells the places that a spelling may mean. It is a
// directory of NameBuckets+1 numbers of four bytes, where the entries of each bucket
// begin, and those entries, of six bytes: what NameEntry makes, and the index of a
// place. The names themselves are not in it, 44 bits of their hash are. One in many
// millions of other texts is thus taken for a name.
//
// The entries of one spelling lie side by side, the likeliest meaning first.
//
//go:embed nameTable.bin
var nameTable string

const (
	bucketBits = 15
	entrySize  = 6

	// NameBuckets is how many buckets the table of names has.
	NameBuckets = 1 << bucketBits

	entries = 4 * (NameBuckets + 1) // where they begin
)

// NameBucket returns the bucket of the names with a hash.
func NameBucket(hash uint64) int { return int(hash >> (64 - bucketBits)) }

// NameEntry packs the part of the hash that does not follow from the bucket, the kind,
// and whether the name is a word of everyday text.
func NameEntry(hash uint64, kind NameKind, word bool) uint32 {
	e := fingerprint(hash) | uint32(kind)<<1
	if word {
		e |= 1
	}
	return e
}

func fingerprint(hash uint64) uint32 { return uint32(hash>>(32-bucketBits)) &^ 7 }

// A hasher hashes spellings byte by byte (FNV-1a), so that the hash of a few words is
// a step from that of all but the last.
type hasher uint64

const hashSeed hasher = 0xcbf29ce484222325

func (h hasher) add(b byte) hasher { return (h ^ hasher(b)) * 0x100000001b3 }

func (h hasher) addAll(text []byte) hasher {
	for _, b := range text {
		h = h.add(b)
	}
	return h
}

// sum mixes the bits: those of FNV-1a are poor at the top for short texts.
func (h hasher) sum() uint64 {
	x := uint64(h)
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// HashName returns the hash of a spelling, as Spell returns them.
func HashName(spelling string) uint64 {
	h := hashSeed
	for i := range len(spelling) {
		h = h.add(spelling[i])
	}
	return h.sum()
}

// A meanings lists the places that a spelling may mean, the likeliest first: entries
// of the table of names.
type meanings struct{ from, to int32 }

func (m meanings) len() int { return int(m.to-m.from) / entrySize }

// at returns the n-th place and the kind of its name.
func (m meanings) at(n int) (place int, kind NameKind) {
	at := int(m.from) + n*entrySize
	return int(uint16At(nameTable, at+4)), NameKind(nameTable[at] >> 1 & 3)
}

// isWord reports whether the name is a word of everyday text.
func (m meanings) isWord() bool { return nameTable[m.from]&1 != 0 }

// lookupName returns the meanings of the spelling with a hash.
func lookupName(hash uint64) meanings {
	bucket := NameBucket(hash)
	at := entries + entrySize*int(uint32At(nameTable, 4*bucket))
	end := entries + entrySize*int(uint32At(nameTable, 4*bucket+4))
	want := fingerprint(hash)
	for at < end && uint32At(nameTable, at)&^7 != want {
		at += entrySize
	}
	m := meanings{from: int32(at), to: int32(at)}
	for at < end && uint32At(nameTable, at)&^7 == want {
		at += entrySize
	}
	m.to = int32(at)
	return m
}
