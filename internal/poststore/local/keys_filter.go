package local

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"

	"earshot/internal/poststore/local/segment"
)

// A keyFilter is a Bloom filter of all keys. Almost all incoming posts are new, and looking up each
// of them in Pebble would take much of the time of Append. The false positive rate is about 1%.
type keyFilter struct{ stages []*bloomStage }

// minStageKeys is the capacity of the first stage. Each further stage has twice the capacity of the
// previous one. A key takes 12 bits; fewer would let more new keys through.
const minStageKeys = 1 << 20

func newKeyFilter(keys int) *keyFilter {
	return &keyFilter{[]*bloomStage{newBloomStage(max(minStageKeys, keys+keys/2))}}
}

func (f *keyFilter) add(k segment.Key) {
	last := f.stages[len(f.stages)-1]
	if last.left == 0 {
		last = newBloomStage(2 * last.size)
		f.stages = append(f.stages, last)
	}
	last.add(k)
}

func (f *keyFilter) has(k segment.Key) bool {
	for _, b := range f.stages {
		if b.has(k) {
			return true
		}
	}
	return false
}

// A bloomStage is a Bloom filter in blocks of 512 bits, so a lookup reads one cache line. Keys are
// already hashes.
type bloomStage struct {
	blocks [][8]uint64
	size   int // capacity in keys
	left   int
}

func newBloomStage(keys int) *bloomStage {
	const perKey = 12
	return &bloomStage{blocks: make([][8]uint64, keys*perKey/512+1), size: keys, left: keys}
}

// position returns the block of a key and six groups of nine bits, each of which addresses a bit in
// the block.
func (b *bloomStage) position(k segment.Key) (block *[8]uint64, names uint64) {
	at, _ := bits.Mul64(binary.LittleEndian.Uint64(k[:8]), uint64(len(b.blocks)))
	return &b.blocks[at], binary.LittleEndian.Uint64(k[4:]) * 0x9e3779b97f4a7c15
}

func (b *bloomStage) add(k segment.Key) {
	b.left--
	block, names := b.position(k)
	for range 6 {
		block[names&7] |= 1 << (names >> 3 & 63)
		names >>= 9
	}
}

func (b *bloomStage) has(k segment.Key) bool {
	block, names := b.position(k)
	for range 6 {
		if block[names&7]&(1<<(names>>3&63)) == 0 {
			return false
		}
		names >>= 9
	}
	return true
}

// fillFilter fills the filter with the keys of all segments. Until it has finished, every key is
// looked up in Pebble, and s.unfiltered collects the keys that are added.
func (s *Store) fillFilter(ctx context.Context) error {
	v, err := s.acquire()
	if err != nil {
		return err
	}
	defer v.release()
	keys := 0
	for _, p := range v.segments {
		keys += p.rows
	}
	filter := newKeyFilter(keys)
	for _, p := range v.segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := reading(p, func() error {
			all, err := p.data.Keys(nil)
			if err != nil {
				return err
			}
			for k := range all {
				filter.add(k)
			}
			return nil
		})
		var bad *damageError
		if errors.As(err, &bad) {
			err = s.quarantine(bad)
		}
		if err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.unfiltered {
		filter.add(k)
	}
	s.filter, s.unfiltered = filter, nil
	return nil
}

// addKey adds a key that is about to be stored. The caller holds s.mu.
func (s *Store) addKey(k segment.Key) {
	if s.filter == nil {
		s.unfiltered = append(s.unfiltered, k)
	} else {
		s.filter.add(k)
	}
}
