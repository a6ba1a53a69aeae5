package main

import (
	"context"
	"iter"
	"time"

	"earshot"
	"earshot/internal/bench"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// An engine stores posts and runs queries about them.
type engine interface {
	name() string
	// index ingests all posts. When it returns they can be queried.
	index(ctx context.Context, posts iter.Seq[[]earshot.Post]) error
	// settle makes the engine as fast as it gets, and everything is on disk then.
	settle(ctx context.Context) error
	// strategies are how queries can be run.
	strategies() []strategy
	close() error
}

// A strategy is one way to run queries.
type strategy struct {
	name string
	run  func(ctx context.Context, q bench.Query) (rawResult, error)
}

// A rawResult is a result as an engine returns it. Converting it is not part of what is
// measured.
type rawResult interface{ counts() counts }

// counts are the same for all engines.
type counts struct {
	posts       int64
	by          [dimCount]map[string]int64
	impressions int64 // unknown when the engine does not compute them
}

// unknown stands for a value that an engine does not compute.
const unknown = -1

// A dim is something that posts are counted by in every result.
type dim struct {
	name string
	of   poststore.Dim
}

const dimCount = 13

// dims are those of bench.AllTallies, in the same order.
var dims = [dimCount]dim{
	{"hour", poststore.ByHour},
	{"day", poststore.ByDay},
	{"source", poststore.BySource},
	{"contentsource", poststore.ByContentSource},
	{"site", poststore.BySite},
	{"language", poststore.ByLanguage},
	{"country", poststore.ByCountry},
	{"state", poststore.ByState},
	{"city", poststore.ByCity},
	{"gender", poststore.ByGender},
	{"age", poststore.ByAge},
	{"engagement", poststore.ByEngagement},
	{"hashtag", poststore.ByHashtag},
}

// The places of dims that are treated in a way of their own.
const (
	languageDim = 5
	countryDim  = 6
	genderDim   = 9
	hashtagDim  = 12
)

// values appends what p has of each dimension.
func values(into *[dimCount][]string, p *earshot.Post) {
	for i, d := range dims {
		into[i] = enginekit.AppendKeys(into[i][:0], d.of, p, time.UTC)
	}
}

// textOf returns what is searched in a post.
func textOf(p *earshot.Post) string {
	if p.Title == "" {
		return p.Contents
	}
	return p.Title + "\n" + p.Contents
}
