package enrich

import (
	"context"
	"errors"
	"image"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/model/onnx"
)

// withImageModel returns an Enricher that finds a labeled image at every URL except some bad ones.
func withImageModel(fetched *[]string) *Enricher {
	return NewWith(CustomModels{Images: &ImageClassifier{
		Fetch: func(_ context.Context, url string, use func(image.Image) error) error {
			*fetched = append(*fetched, url)
			switch url {
			case "https://slow.example/1":
				return context.DeadlineExceeded
			case "https://bad.example/1":
				panic("no picture")
			case "https://gone.example/1":
				return errors.New("gone")
			}
			return use(image.NewGray(image.Rect(0, 0, 1, 1)))
		},
		Classify: func(image.Image) ([]onnx.Prediction, error) {
			return []onnx.Prediction{{Label: "golden_retriever", Score: 0.8}, {Label: "blorp", Score: 0.5}}, nil
		},
	}})
}

func withImages(urls ...string) earshot.Post {
	var p earshot.Post
	for _, url := range urls {
		p.Images = append(p.Images, earshot.Image{URL: url})
	}
	return p
}

func names(p earshot.Post) (shown []string) {
	for _, i := range p.Images {
		for _, o := range i.Objects {
			shown = append(shown, o.ClassName)
		}
	}
	return shown
}

func TestInferImages(t *testing.T) {
	var fetched []string
	e := withImageModel(&fetched)
	f := func(p earshot.Post, want ...string) {
		t.Helper()
		posts := []earshot.Post{p}
		e.InferImages(t.Context(), posts)
		e.All(posts)
		if got := names(posts[0]); !slices.Equal(got, want) {
			t.Errorf("%+v: got %q, want %q", p.Images, got, want)
		}
		if inferred := posts[0].Inferred&earshot.InferredImages != 0; inferred != (len(want) > 0 && len(p.Images[0].Objects) == 0) {
			t.Errorf("%+v: inferred is %v", p.Images, inferred)
		}
		if len(want) == 0 {
			return
		}
		// Reinferring gives the same result.
		e.ClearInferred(posts)
		e.InferImages(t.Context(), posts)
		e.All(posts)
		if got := names(posts[0]); !slices.Equal(got, want) {
			t.Errorf("%+v, reinferred: got %q, want %q", p.Images, got, want)
		}
	}
	f(withImages("https://example.com/1"), "dog", "golden retriever")
	f(withImages("https://bad.example/1"))
	f(withImages("https://gone.example/1"))
	f(withImages("https://slow.example/1"))
	stated := withImages("https://example.com/1")
	stated.Images[0].Objects = []earshot.ImageObject{{ClassID: 16, ClassName: "cat"}}
	f(stated, "cat")
	described := withImages("https://example.com/1")
	described.Images[0].Alt = "a cat"
	f(described, "dog", "golden retriever", "cat")

	fetched = nil
	f(withImages("https://slow.example/2"))
	if len(fetched) > 0 {
		t.Errorf("a slow host is retried immediately: %q", fetched)
	}
	f(withImages("https://example.com/1", "https://example.com/2", "https://example.com/3", "https://example.com/4", "https://example.com/5"),
		"dog", "golden retriever", "dog", "golden retriever", "dog", "golden retriever", "dog", "golden retriever")
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
