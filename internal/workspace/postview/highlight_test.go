package postview

import (
	"fmt"
	"testing"

	"earshot"
)

func TestInterests(t *testing.T) {
	f := func(want string, of, author []earshot.InterestID) {
		t.Helper()
		if got := fmt.Sprint(Interests(&earshot.Post{Interests: of, AuthorInterests: author})); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f("[]", nil, nil)
	f("[{41 Coffee and Tea false} {140 Running false}]", []earshot.InterestID{41, 140}, nil)
	f("[{41 Coffee and Tea false} {140 Running true}]", []earshot.InterestID{41}, []earshot.InterestID{41, 140})
	f("[{140 Running true}]", []earshot.InterestID{60000}, []earshot.InterestID{140})
}
