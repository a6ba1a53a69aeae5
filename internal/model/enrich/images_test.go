package enrich

import (
	"errors"
	"reflect"
	"testing"

	"earshot"
	"earshot/internal/model/onnx"
)

func TestFillImages(t *testing.T) {
	e := New()
	dog := earshot.ImageObject{Score: 0.8, ClassID: 17, ClassName: "dog"}
	cat := earshot.ImageObject{Score: 0.7, ClassID: 16, ClassName: "cat"}
	seen := &earshot.Picture{Hash: "1", Objects: []earshot.ImageObject{dog}, Brands: []earshot.ImageBrand{{ID: "b", Name: "Acme", Score: 0.9}}}
	altScore := func(alt string) float64 {
		posts := []earshot.Post{{Images: []earshot.Image{{Alt: alt}}}}
		e.All(posts)
		return posts[0].Images[0].Objects[0].Score
	}
	f := func(name string, image earshot.Image, inferred bool, want ...earshot.ImageObject) {
		t.Helper()
		posts := []earshot.Post{{Images: []earshot.Image{image}}}
		for range 2 { // reinferring gives the same result
			e.ClearInferred(posts)
			e.All(posts)
			if got := posts[0].Images[0].Objects; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v, want %v", name, got, want)
			}
			if got := posts[0].Inferred&earshot.InferredImages != 0; got != inferred {
				t.Errorf("%s: inferred is %v", name, got)
			}
		}
	}
	f("a picture", earshot.Image{Picture: seen}, true, dog)
	f("alt text", earshot.Image{Alt: "a cat"}, true, earshot.ImageObject{Score: altScore("a cat"), ClassID: 16, ClassName: "cat"})
	both := dog
	both.Score = 0.98 // 1 - (1-0.9)(1-0.8)
	f("both agree", earshot.Image{Alt: "a dog", Picture: seen}, true, both)
	f("both differ", earshot.Image{Alt: "a cat", Picture: seen}, true, earshot.ImageObject{Score: altScore("a cat"), ClassID: 16, ClassName: "cat"}, dog)
	f("stated", earshot.Image{Alt: "a dog", Picture: seen, Objects: []earshot.ImageObject{cat}}, false, cat)
	f("nothing found", earshot.Image{Picture: &earshot.Picture{Hash: "1"}}, false)
	posts := []earshot.Post{{Images: []earshot.Image{{Picture: seen}}}}
	e.All(posts)
	if got := posts[0].Images[0].Brands; !reflect.DeepEqual(got, seen.Brands) {
		t.Errorf("brands: got %v, want %v", got, seen.Brands)
	}
}

func TestMapLabels(t *testing.T) {
	objects, brands := MapLabels([]onnx.Prediction{{Label: "golden_retriever", Score: 0.801}, {Label: "blorp", Score: 0.5}})
	if len(objects) != 2 || objects[0] != (earshot.ImageObject{Score: 0.8, ClassID: 17, ClassName: "dog"}) || objects[1].ClassName != "golden retriever" || len(brands) != 0 {
		t.Errorf("got %v %v, want a dog, a golden retriever, and no brands", objects, brands)
	}
}

func TestCustomModels(t *testing.T) {
	e := NewWith(CustomModels{Sentiment: fixed{}, Emotion: broken{}})
	p := earshot.Post{Contents: "I love this"}
	e.Post(&p)
	builtIn := earshot.Post{Contents: "I love this"}
	New().Post(&builtIn)
	if p.Sentiment != (earshot.Sentiment{0, 1, 99}) || p.Emotion != builtIn.Emotion {
		t.Errorf("got %v, %v, want the custom sentiment and, because that model fails, the built-in emotion", p.Sentiment, p.Emotion)
	}
}

type fixed struct{}

func (fixed) Infer(string) ([3]float32, error) { return [3]float32{0, 0, 1}, nil }

type broken struct{}

func (broken) Infer(string) ([7]float32, error) { return [7]float32{1}, errors.New("no") }
