package manage

import (
	"testing"

	"earshot/internal/http/rest"
	"earshot/internal/poststore"
)

// TestLongResponses checks that requests that take a pass over texts count as long, so that one user
// cannot keep others waiting.
func TestLongResponses(t *testing.T) {
	for _, p := range []rest.Weighted{
		explanationParams{}, topicsParams{}, longQuery{}, compareParams{}, authorParams{}, authorPostsParams{},
		postsParams{Group: true}, postsParams{Copies: "x"}, postsParams{Sort: postOrder{order: poststore.MostRelevant, given: true}},
	} {
		if got := p.ResponseMemory(); got < rest.LongResponse {
			t.Errorf("%T: got %d bytes, want at least %d", p, got, rest.LongResponse)
		}
	}
	if got := (postsParams{}).ResponseMemory(); got != 0 {
		t.Errorf("the newest posts take %d bytes, want 0", got)
	}
}
