package earshot

import "time"

// An Erasure is an author whose posts were erased and must not be stored again. It does not reveal
// who the author is.
type Erasure struct {
	ID   ErasureID
	Mark []byte // keyed hash of the author's network and name
	Time time.Time

	OneNetwork bool // posts on other networks may be stored
}
