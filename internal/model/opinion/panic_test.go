package opinion

import (
	"strings"
	"testing"

	"earshot"
)

// TestAPanicInAnExamComesUpInTheCaller has texts that no model can be learnt from: in a goroutine
// of its own a panic would end the process.
func TestAPanicInAnExamComesUpInTheCaller(t *testing.T) {
	c, err := newCorpus([]earshot.CategoryID{1, 2}, []Document{
		{Post: earshot.Post{URL: "a", Contents: "one"}, Category: 1}, {Post: earshot.Post{URL: "b", Contents: "two"}, Category: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.texts[0].features = []uint32{1 << 30} // there is no such feature
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "out of range") {
			t.Errorf("got %v", r)
		}
	}()
	_, err = c.examine(t.Context())
	t.Errorf("got %v, want a panic", err)
}
