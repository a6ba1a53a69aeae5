package opinion

import "math/bits"

// A set is a set of features that is emptied in no time. The zero set is empty.
type set struct {
	slots []slot
	round uint32 // slots of other rounds are free
	shift int
}

type slot struct{ feature, round uint32 }

// reset empties the set and makes room for n features.
func (s *set) reset(n int) {
	need := bits.Len(uint(2*n + 16))
	if len(s.slots) < 1<<need {
		s.slots, s.round = make([]slot, 1<<need), 0
	}
	if s.round++; s.round == 0 {
		clear(s.slots)
		s.round = 1
	}
	s.shift = 33 - bits.Len(uint(len(s.slots)))
}

// add adds a feature and says whether it is new.
func (s *set) add(feature uint32) bool {
	mask := uint32(len(s.slots) - 1)
	for at := feature * 0x9e3779b1 >> s.shift; ; at = (at + 1) & mask {
		switch free := s.slots[at].round != s.round; {
		case free:
			s.slots[at] = slot{feature, s.round}
			return true
		case s.slots[at].feature == feature:
			return false
		}
	}
}
