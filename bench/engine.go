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

// An engine stores posts and runs queries on them.
type engine interface {
	name() string
	// index ingests all posts. They can be queried when it returns.
	index(ctx context.Context, posts iter.Seq[[]earshot.Post]) error
	// settle optimizes the engine for queries and syncs everything to disk.
	settle(ctx context.Context) error
	// strategies returns the strategies for running queries.
	strategies() []strategy
	close() error
}

// A strategy is one way to run queries.
type strategy struct {
	name string
	run  func(ctx context.Context, q bench.Query) (rawResult, error)
}

// A rawResult is a result as an engine returns it. Its conversion is not measured.
type rawResult interface{ counts() counts }

// counts is a result in the format that all engines share.
type counts struct {
	posts       int64
	by          [dimCount]map[string]int64
	impressions int64 // unknown if the engine does not compute them
}

// unknown marks a value that an engine does not compute.
const unknown = -1

// A dim is a dimension that posts are counted by in every result.
type dim struct {
	name string
	of   poststore.Dim
}

const dimCount = 13

// dims are the dimensions of [bench.AllTallies], in the same order.
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

// Indexes of dims that need special treatment.
const (
	languageDim = 5
	countryDim  = 6
	genderDim   = 9
	hashtagDim  = 12
)

// values sets the values that p has in each dimension.
func values(into *[dimCount][]string, p *earshot.Post) {
	for i, d := range dims {
		into[i] = enginekit.AppendKeys(into[i][:0], d.of, p, time.UTC)
	}
}

// textOf returns the text of a post that is searched.
func textOf(p *earshot.Post) string {
	if p.Title == "" {
		return p.Contents
	}
	return p.Title + "\n" + p.Contents
}
