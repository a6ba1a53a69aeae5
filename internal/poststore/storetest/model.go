package storetest

import (
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// infer changes a post like a model of the given version that considers only its own version.
func infer(p *earshot.Post, models uint32) {
	p.Language = fmt.Sprint("l", models)
	p.Place = earshot.Place{Country: fmt.Sprint("C", models)}
	p.Gender, p.AgeGroup, p.Age = earshot.Female, earshot.ThirtyFiveAndOver, earshot.Count{}
	if models == 1 {
		p.Gender = earshot.Male
	}
	p.Sentiment = earshot.Sentiment{earshot.Negative: 100}
	p.Emotion = earshot.Emotion{earshot.Joy: 90, earshot.Fear: 10}
	p.Interests, p.AuthorInterests = []earshot.InterestID{100 + earshot.InterestID(models)}, nil
	p.Images = []earshot.Image{{
		Objects: []earshot.ImageObject{{ClassID: int64(models), ClassName: "class"}},
		Brands:  []earshot.ImageBrand{{ID: fmt.Sprint(models), Name: "brand"}},
	}}
	p.Inferred = earshot.InferredLanguage | earshot.InferredImages
	p.InferredBy = models
}

func inferAll(posts []earshot.Post, models uint32) {
	for i := range posts {
		infer(&posts[i], models)
	}
}

// addInferred appends posts that models of the given versions have processed. Their guids contain
// the version.
func (s *subject) addInferred(versions ...uint32) {
	s.Helper()
	for _, models := range versions {
		s.add(post(fmt.Sprint("seen by ", models), func(p *earshot.Post) {
			p.Sentiment, p.Gender, p.InferredBy = earshot.Sentiment{earshot.Positive: 100}, earshot.Male, models
		}))
	}
}

// reinfer runs newer models and returns the sorted guids of the posts passed to Infer.
func (s *subject) reinfer(models uint32) (handed []string) {
	s.Helper()
	s.check(s.Reinfer(s.ctx(), poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) {
		for i := range posts {
			if posts[i].InferredBy >= models {
				s.Errorf("Infer received %s, which models %d have processed", posts[i].GUID, posts[i].InferredBy)
			}
			infer(&posts[i], models)
		}
		handed = append(handed, guids(posts)...)
	}}))
	slices.Sort(handed)
	return handed
}

// duringReinfer runs newer models and calls f before the first posts are changed.
func (s *subject) duringReinfer(models uint32, f func()) {
	s.Helper()
	called := false
	s.check(s.Reinfer(s.ctx(), poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) {
		if !called {
			called = true
			f()
		}
		inferAll(posts, models)
	}}))
}

func (s *subject) wantPassed(got []string, want ...string) {
	s.Helper()
	if !slices.Equal(got, want) {
		s.Errorf("Infer received posts %q, want %q", got, want)
	}
}

// reinferAll changes random posts like a model of the given version. The new values depend only on
// the post and the version, and random queries cover them.
func reinferAll(posts []earshot.Post, models uint32) {
	for i := range posts {
		p := &posts[i]
		n := uint32(len(p.Contents)) + uint32(p.Time.Unix()/60) + models
		p.Language = []string{"", "en", "fr"}[n%3]
		p.Gender = []earshot.Gender{"", earshot.Male, earshot.Female}[n/3%3]
		p.Sentiment = earshot.Sentiment{}
		p.Sentiment[n%3] = 100
		p.Emotion = []earshot.Emotion{{}, {earshot.Joy: 100}, {earshot.Fear: 100}}[n/9%3]
		p.Interests = [][]earshot.InterestID{nil, {1}, {2, 300}}[n/27%3]
		p.InferredBy = models
	}
}
