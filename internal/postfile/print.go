package postfile

import (
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"
)

// A Print stands for a set of posts: posts of the same keys that arrived with the same
// journal entries have the same print, in whatever rows of whatever files they are. Two
// different sets have the same no more often than two numbers of 128 bits happen to be
// equal. The zero Print is that of no posts.
type Print [2]uint64

// Plus returns the print of the posts of both, none of which may be in both.
func (p Print) Plus(q Print) Print { return Print{p[0] + q[0], p[1] + q[1]} }

// Prints returns the print of those of the rows, nil for all, that are in each stretch
// between two cuts, which are ascending row numbers: there is one print less than cuts.
func (f *File) Prints(rows *roaring.Bitmap, cuts []uint32) ([]Print, error) {
	return nil, nil
}

// multiply returns the product of two numbers, its halves laid on one another: every bit
// depends on all bits of both.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
