package enginekit

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

func TestInfer(t *testing.T) {
	f := func(name string, change func(p *earshot.Post), good bool) {
		t.Helper()
		posts := []earshot.Post{
			{Source: "Letters", ContentSource: 3, GUID: "a", Time: time.Unix(5, 0)},
			{Source: earshot.Twitter, GUID: "b", Time: time.Unix(6, 0), InferredBy: 3},
		}
		r := poststore.Reinfer{Models: 4, Infer: func(posts []earshot.Post) {
			for i := range posts {
				posts[i].InferredBy = 4
			}
			change(&posts[0])
		}}
		if err := Infer(&r, posts); (err == nil) != good {
			t.Errorf("%s: got error %v, want success %t", name, err, good)
		}
	}
	f("another language", func(p *earshot.Post) { p.Language = "fr" }, true)
	f("newer models", func(p *earshot.Post) { p.InferredBy = 5 }, true)
	f("the same time in another zone", func(p *earshot.Post) { p.Time = p.Time.In(time.FixedZone("east", 3600)) }, true)
	f("older models", func(p *earshot.Post) { p.InferredBy = 3 }, false)
	f("another time", func(p *earshot.Post) { p.Time = p.Time.Add(1) }, false)
	f("another guid", func(p *earshot.Post) { p.GUID = "" }, false)
	f("another content source", func(p *earshot.Post) { p.ContentSource = 4 }, false)
	f("another source, although it does not identify custom content", func(p *earshot.Post) { p.Source = "Notes" }, false)
}

func TestIsOutdated(t *testing.T) {
	r := poststore.Reinfer{Models: 2}
	for models, want := range []bool{true, true, false, false} {
		if got := IsOutdated(&r, &earshot.Post{InferredBy: uint32(models)}); got != want {
			t.Errorf("post inferred by models %d: got %t, want %t", models, got, want)
		}
	}
}
