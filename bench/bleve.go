package main

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"earshot"
	"earshot/internal/bench"
)

// bleveEngine is Bleve with a scorch index. Each post has its words in one field, with positions
// for phrases, and a keyword field with doc values for each dimension. No field values are stored.
// Documents are built by hand instead of by a mapping, which is faster. Bleve cannot sum, so its
// results lack impressions.
type bleveEngine struct {
	inner   bleve.Index
	words   analysis.Analyzer
	exact   analysis.Analyzer
	written int
}

const textField = "words"

func openBleve(_ context.Context, dir string, _ *bench.Generator) (engine, error) {
	m := mapping.NewIndexMapping()
	err := m.AddCustomAnalyzer("plain", map[string]any{
		"type":          custom.Name,
		"tokenizer":     unicode.Name,
		"token_filters": []string{lowercase.Name},
	})
	if err != nil {
		return nil, err
	}
	// As in Earshot, batches do not wait for the disk. settle does.
	opened, err := bleve.NewUsing(dir, m, scorch.Name, scorch.Name, map[string]any{"unsafe_batch": true})
	if err != nil {
		return nil, err
	}
	return &bleveEngine{inner: opened, words: m.AnalyzerNamed("plain"), exact: m.AnalyzerNamed(keyword.Name)}, nil
}

func (e *bleveEngine) name() string { return "Bleve" }
func (e *bleveEngine) close() error { return e.inner.Close() }

// batchesTogether results in batches of 5,000 posts. Larger ones are not faster.
const batchesTogether = 5

func (e *bleveEngine) index(_ context.Context, posts iter.Seq[[]earshot.Post]) error {
	batch, n := e.inner.NewBatch(), 0
	for list := range posts {
		for i := range list {
			if err := batch.IndexAdvanced(e.document(&list[i])); err != nil {
				return err
			}
		}
		if n++; n%batchesTogether == 0 {
			if err := e.inner.Batch(batch); err != nil {
				return err
			}
			batch = e.inner.NewBatch()
		}
	}
	return e.inner.Batch(batch)
}

func (e *bleveEngine) document(p *earshot.Post) *document.Document {
	e.written++
	doc := document.NewDocument(strconv.Itoa(e.written))
	doc.AddField(document.NewTextFieldCustom(textField, nil, []byte(textOf(p)), index.IndexField|index.IncludeTermVectors|index.SkipFreqNorm, e.words))
	var has [dimCount][]string
	values(&has, p)
	for i, list := range has {
		for _, value := range list {
			doc.AddField(document.NewTextFieldCustom(dims[i].name, nil, []byte(value), index.IndexField|index.DocValues|index.SkipFreqNorm, e.exact))
		}
	}
	return doc
}

// settle merges all segments into one.
func (e *bleveEngine) settle(ctx context.Context) error {
	inside, err := e.inner.Advanced()
	if err != nil {
		return err
	}
	merger, ok := inside.(*scorch.Scorch)
	if !ok {
		return errors.New("bleve: the index is not scorch")
	}
	return merger.ForceMerge(ctx, nil)
}

func (e *bleveEngine) strategies() []strategy { return []strategy{{name: "facets", run: e.query}} }

// facetSize is larger than the number of values of any dimension except hashtags.
const facetSize = 100_000

func (e *bleveEngine) query(ctx context.Context, q bench.Query) (rawResult, error) {
	request := bleve.NewSearchRequestOptions(bleveQuery(q), 0, 0, false)
	request.Score = "none"
	for _, d := range dims {
		request.AddFacet(d.name, bleve.NewFacetRequest(d.name, facetSize))
	}
	found, err := e.inner.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	return (*facets)(found), nil
}

func bleveQuery(q bench.Query) query.Query {
	term := func(field, value string) query.Query {
		t := query.NewTermQuery(value)
		t.SetField(field)
		return t
	}
	var must, any, not []query.Query
	if q.Phrase != "" {
		must = append(must, query.NewPhraseQuery(strings.Fields(q.Phrase), textField))
	}
	for _, word := range q.All {
		must = append(must, term(textField, word))
	}
	for _, word := range q.Any {
		any = append(any, term(textField, word))
	}
	if len(any) > 0 {
		must = append(must, query.NewDisjunctionQuery(any))
	}
	if q.Prefix != "" {
		p := query.NewPrefixQuery(q.Prefix)
		p.SetField(textField)
		must = append(must, p)
	}
	for dim, value := range map[int]string{languageDim: q.Language, countryDim: q.Country, genderDim: string(q.Gender)} {
		if value != "" {
			must = append(must, term(dims[dim].name, value))
		}
	}
	for _, word := range q.None {
		not = append(not, term(textField, word))
	}
	switch {
	case len(not) > 0:
		return query.NewBooleanQuery(must, nil, not)
	case len(must) == 1:
		return must[0]
	}
	return query.NewConjunctionQuery(must)
}

// facets is a search result of Bleve.
type facets bleve.SearchResult

func (f *facets) counts() counts {
	a := counts{posts: int64(f.Total), impressions: unknown}
	for i, d := range dims {
		a.by[i] = map[string]int64{}
		facet := f.Facets[d.name]
		if facet == nil || facet.Terms == nil {
			continue
		}
		for _, t := range facet.Terms.Terms() {
			a.by[i][t.Term] = int64(t.Count)
		}
	}
	return a
}
