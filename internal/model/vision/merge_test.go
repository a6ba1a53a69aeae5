package vision

import (
	"slices"
	"testing"

	"earshot"
)

func TestMerge(t *testing.T) {
	dog := Class{ID: 17, Name: "dog", Type: Object}
	beach := Class{ID: 1048, Name: "beach", Type: Scene}
	nike := Class{ID: 3001, Name: "Nike", Type: Logo}
	object := func(c Class, score float64) earshot.ImageObject {
		return earshot.ImageObject{Score: score, ClassID: c.ID, ClassName: c.Name}
	}
	for _, test := range []struct {
		name string
		alt  []earshot.ImageObject
		seen []Seen
		want []earshot.ImageObject
	}{
		{"alt text alone", []earshot.ImageObject{object(dog, 0.9)}, nil, []earshot.ImageObject{object(dog, 0.9)}},
		{"pixels alone", nil, []Seen{{dog, 0.8349}}, []earshot.ImageObject{object(dog, 0.83)}},
		{"both agree", []earshot.ImageObject{object(dog, 0.6)}, []Seen{{dog, 0.75}}, []earshot.ImageObject{object(dog, 0.9)}},
		{"both are nearly certain", []earshot.ImageObject{object(dog, 0.9)}, []Seen{{dog, 0.98}}, []earshot.ImageObject{object(dog, 0.99)}},
		{"alt text keeps its order", []earshot.ImageObject{object(beach, 0.6)}, []Seen{{dog, 0.9}}, []earshot.ImageObject{object(beach, 0.6), object(dog, 0.9)}},
		{"a stated certainty stays", []earshot.ImageObject{object(dog, 1)}, []Seen{{dog, 0.8}}, []earshot.ImageObject{object(dog, 1)}},
		{"logos are ignored", nil, []Seen{{nike, 0.9}}, nil},
	} {
		before := slices.Clone(test.alt)
		if got := Merge(test.alt, test.seen); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
		if !slices.Equal(test.alt, before) {
			t.Errorf("%s: the objects of the alt text changed: got %v, want %v", test.name, test.alt, before)
		}
	}
}
