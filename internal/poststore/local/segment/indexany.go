package segment

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/colfile"
)

// Any finds the rows of tokens in the way that is quickest for so many of both.
func (x *index) Any(tokens []uint32, among *roaring.Bitmap) *roaring.Bitmap {
	switch {
	case len(tokens) == 0 || among != nil && among.IsEmpty():
		return roaring.New()
	case among == nil:
		return x.anyOfAll(tokens)
	case len(tokens) == 1:
		return roaring.And(x.postings.Bitmap(uint64(tokens[0])), among)
	}
	rows := int(among.GetCardinality())
	byToken := len(tokens) * (costOfBitmap + costOfCommon*rows)
	byRow := costOfWords * rows
	atOnce := costOfToken*len(tokens) + costOfPosting*x.Cardinality(tokens) + int(x.rows)/rowsForCost
	switch min(byToken, byRow, atOnce) {
	case byRow:
		return x.anyByRow(tokens, among)
	case byToken:
		return x.anyByToken(tokens, among)
	}
	all := x.anyOfAll(tokens)
	all.And(among)
	return all
}

// What things take, in nanoseconds.
const (
	costOfWords   = 150  // the words of a row
	costOfBitmap  = 3000 // a token's rows as a bitmap
	costOfCommon  = 3    // a row that may be in two bitmaps
	costOfToken   = 40   // a token's place in a union
	costOfPosting = 2    // a row in a union
	rowsForCost   = 10   // rows of the file that a union takes one more for
)

// anyOfAll is Any among all rows.
func (x *index) anyOfAll(tokens []uint32) *roaring.Bitmap {
	if len(tokens) == 1 {
		return x.postings.Bitmap(uint64(tokens[0]))
	}
	rows := roaring.New()
	x.postings.Or(colfile.Values(tokens), rows)
	return rows
}

// anyByToken is Any for few tokens, whose rows are looked for one after the other.
func (x *index) anyByToken(tokens []uint32, among *roaring.Bitmap) *roaring.Bitmap {
	rows := roaring.New()
	for _, token := range tokens {
		rows.Or(roaring.And(x.postings.Bitmap(uint64(token)), among))
	}
	return rows
}

// anyByRow is Any for few rows, whose words are looked at.
func (x *index) anyByRow(tokens []uint32, among *roaring.Bitmap) *roaring.Bitmap {
	first, last := tokens[0], tokens[len(tokens)-1]
	gaps := int(last-first) >= len(tokens)
	is := func(word uint32) bool {
		if word < first || word > last {
			return false
		}
		if gaps {
			_, found := slices.BinarySearch(tokens, word)
			return found
		}
		return true
	}
	return x.Scan(among, func(words []uint32) bool {
		tags, plain := splitWords(words)
		for i := 1; i < len(tags); i += 2 {
			if is(tags[i]) {
				return true
			}
		}
		return slices.ContainsFunc(plain, is)
	})
}
