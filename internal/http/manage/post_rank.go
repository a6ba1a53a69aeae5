package manage

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"earshot/internal/http/rest"
	"earshot/internal/poststore"
	"earshot/internal/workspace/card"
)

// A postOrder is the value of the sort parameter.
type postOrder struct {
	order poststore.Order
	given bool
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *postOrder) UnmarshalText(text []byte) error {
	if o.order, o.given = card.PostOrders[string(text)]; !o.given {
		return errors.New("one of " + strings.Join(slices.Sorted(maps.Keys(card.PostOrders)), ", "))
	}
	return nil
}

// isRanked reports whether the list has pages by cursor instead of by offset.
func (p postsParams) isRanked() bool {
	return p.Sort.given || p.Group || p.Cursor != "" || p.Copies != ""
}

// ResponseMemory implements [rest.Weighted]. Grouping and relevance take a pass over all texts.
func (p postsParams) ResponseMemory() int64 {
	if p.Group || p.Copies != "" || p.Sort.order == poststore.MostRelevant {
		return max(rest.LongResponse, p.dayParams.ResponseMemory())
	}
	return p.dayParams.ResponseMemory()
}
