package enrich

import (
	"testing"

	"earshot"
)

func TestLookedVersions(t *testing.T) {
	if Version%2 == 0 {
		t.Errorf("Version is %d, want an odd number: the next one marks posts that had a second look", Version)
	}
	for models, want := range map[uint32]bool{
		0: false, 1: false, 2: false, 6: false, 7: false, 8: true, 9: false, 10: true,
		1 << 16: false, ModelVersion(3): false, Looked(ModelVersion(3)): true,
	} {
		if got := IsLooked(models); got != want {
			t.Errorf("%x: got %t, want %t", models, got, want)
		}
	}
}

// The journal has these hashes, so they must not change.
func TestTextHash(t *testing.T) {
	f := func(p earshot.Post, want uint32) {
		t.Helper()
		if got := TextHash(&p); got != want {
			t.Errorf("%q, %q: got %#x, want %#x", p.Title, p.Contents, got, want)
		}
	}
	f(earshot.Post{}, 0)
	f(earshot.Post{Contents: "123456789", Language: "en"}, 0xe3069283) // the check value of CRC-32C
	f(earshot.Post{Title: "123", Contents: "123456789"}, 0xe3069283)   // the contents begin with the title
	f(earshot.Post{Title: "123456789"}, 0xe3069283)
	f(earshot.Post{Title: "a", Contents: "b"}, TextHash(&earshot.Post{Contents: "a\nb"}))
}
