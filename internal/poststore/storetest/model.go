package storetest

import (
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// tell changes a post as a model of a version would that looks at nothing else.
func tell(p *earshot.Post, models uint32) {
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

func tellAll(posts []earshot.Post, models uint32) {
	for i := range posts {
		tell(&posts[i], models)
	}
}

// addSeen appends, one by one, posts that models of these versions have seen. They are
// named after them.
func (s *subject) addSeen(versions ...uint32) {
	s.Helper()
	for _, models := range versions {
		s.add(post(fmt.Sprint("seen by ", models), func(p *earshot.Post) {
			p.Sentiment, p.Gender, p.InferredBy = earshot.Sentiment{earshot.Positive: 100}, earshot.Male, models
		}))
	}
}

// revise has the posts told anew and returns the guids of those that it was handed, in
// order.
func (s *subject) revise(models uint32) (handed []string) {
	s.Helper()
	s.check(s.Reinfer(s.ctx(), poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) {
		for i := range posts {
			if posts[i].InferredBy >= models {
				s.Errorf("it was handed %s, which models %d have seen", posts[i].GUID, posts[i].InferredBy)
			}
			tell(&posts[i], models)
		}
		handed = append(handed, guids(posts)...)
	}}))
	slices.Sort(handed)
	return handed
}

// duringRevision has the posts told anew, and calls f before the first ones are.
func (s *subject) duringRevision(models uint32, f func()) {
	s.Helper()
	called := false
	s.check(s.Reinfer(s.ctx(), poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) {
		if !called {
			called = true
			f()
		}
		tellAll(posts, models)
	}}))
}

func (s *subject) wantHanded(got []string, want ...string) {
	s.Helper()
	if !slices.Equal(got, want) {
		s.Errorf("it was handed the posts %q, want %q", got, want)
	}
}

// retellAll changes random posts as a model of a version would: what it tells follows from
// the post and the version alone, and is among what random questions are about.
func retellAll(posts []earshot.Post, models uint32) {
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
