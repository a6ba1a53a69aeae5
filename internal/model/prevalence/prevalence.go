// Package prevalence estimates the shares of sentiments and emotions among posts, with intervals.
//
// Counting the most likely class of each post is biased: a model that takes one in three neutral
// posts for a negative one reports too many negative posts wherever most posts are neutral. How often
// it does so depends on where posts come from: tweets about politics, headlines and reviews are not
// scored alike, and that is the largest error. The table of this package has a profile for each of many
// sources of labeled texts: how the scores of each class are distributed there. The profiles of a
// language and domain are pooled. The estimate is the mix of classes that explains the scores of the
// posts best, drawn toward the typical mix of the domain and blended with counting. How much it is
// drawn and blended, and how wide intervals are, follows from sources that were left out of the table.
// docs/decisions/0068-shares.md
//
// internal/model/prevalence/train fits the table to texts that the model was not trained on.
package prevalence

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/model/sentiment"
)

//go:embed table.json.gz
var tableFile []byte

//go:embed table_look.json.gz
var lookFile []byte

//go:embed table_2.json.gz
var table2File []byte

// calibrations lists the versions of the sentiment model, oldest first. Stored posts keep the scores of
// the version that labeled them, so they need its table. The first one never had a table: its posts are
// counted. When the model is trained again, keep the table of the version before, and add a line. From
// version 7 on, posts with a second look have the next, even version.
var calibrations = []calibration{
	{sentiment: 1, models: 1},
	{sentiment: 2, models: 3, table: table2File},
	{sentiment: 3, models: 5, table: tableFile},
	{sentiment: 3, models: 8, table: lookFile, look: true},
}

type calibration struct {
	sentiment int    // sentiment.Version
	models    uint16 // first version of all models with it: enrich.Version
	table     []byte // nil: unknown
	look      bool   // whether posts had a second look
}

// Sentiments and Emotions return the estimators of [earshot.BasicCategories] and
// [earshot.BasicEmotions].
func Sentiments() *Estimator { return builtin().sentiments }

func Emotions() *Estimator { return builtin().emotions }

var builtin = sync.OnceValue(func() estimators {
	var all, current estimators
	var sentiments, emotions []version
	for _, c := range calibrations {
		if c.table != nil {
			t, err := ReadTable(c.table)
			if err != nil {
				panic(fmt.Sprintf("prevalence: read the built-in table of version %d: %v", c.sentiment, err))
			}
			all = estimators{New(&t.Sentiments), New(&t.Emotions)}
		}
		if !c.look {
			current = all
		}
		sentiments, emotions = append(sentiments, version{c.models, all.sentiments}), append(emotions, version{c.models, all.emotions})
	}
	current.sentiments.versions, current.emotions.versions = sentiments, emotions
	return current
})

type estimators struct{ sentiments, emotions *Estimator }

// A Table contains the profiles of both tasks.
type Table struct {
	Sentiments, Emotions Task
}

// A Task contains the profiles of one task, and the settings of its estimator.
type Task struct {
	Classes  int
	Neutral  int         // index of the class of neutral texts
	Assigned [][]float64 // share of the texts of each cell that are assigned to each class
	Profiles []Profile
	Settings
}

// A Profile counts the labeled texts of a source by class and cell.
type Profile struct {
	Source      string
	Language    string
	Domain      sentiment.Domain
	SingleTopic bool        `json:",omitempty"` // whether other sources represent the language and domain better
	Selected    bool        `json:",omitempty"` // whether texts were selected by class, so that the mix says nothing
	Counts      [][]float64 // by class, then by cell; nil for a class that the source does not have
}

// Settings are fitted to sources that are left out of the profiles.
type Settings struct {
	// Prior is how much an estimate is drawn toward the typical mix, as a fraction of the posts.
	Prior float64

	// Counting is the weight of counting in the estimate, except for the languages and domains of Blends.
	Counting float64
	Blends   []Blend `json:",omitempty"`

	// Known and Unknown are the standard errors of estimates, apart from sampling, for posts of a
	// language and domain with and without a profile. ClassFactors multiply them for each class, and
	// Spreads for some languages and domains.
	Known, Unknown float64
	ClassFactors   []float64
	Spreads        []Spread

	// Elsewhere are the least standard errors in some languages and domains.
	Elsewhere []Elsewhere `json:",omitempty"`

	// Stretch is how far an interval extends toward what counting, or an estimate that is not drawn
	// toward the typical mix, says.
	Stretch float64
}

// A Blend is the weight of counting in a language and domain: the less corrections of counts hold on sources
// that are left out, the larger it is.
type Blend struct {
	Language string
	Domain   sentiment.Domain
	Counting float64
}

// A Spread is how much larger or smaller errors are in a language and domain than elsewhere.
type Spread struct {
	Language string
	Domain   sentiment.Domain
	Factor   float64
}

// An Elsewhere is the standard error of shares, measured on texts of sources that neither the table nor
// the model knows. There it is larger than between the sources of the table, because the model was
// trained on other texts of them.
type Elsewhere struct {
	Language string
	Domain   sentiment.Domain
	Error    float64
}

// ReadTable decodes a table.
func ReadTable(file []byte) (*Table, error) {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	t := new(Table)
	return t, json.NewDecoder(z).Decode(t)
}

// Encode encodes a table. Equal tables have equal encodings.
func (t *Table) Encode() ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(z).Encode(t); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// A Group is a number of posts with similar scores.
type Group struct {
	Language string
	Domain   sentiment.Domain
	Cell     earshot.ScoreCell
	Models   uint16 // version of the models that scored them, as in [earshot.Post]; 0: none
	Posts    float64
}

// A Share is the estimated share of a class, with its 95% interval.
type Share struct{ Share, Low, High float64 }

const (
	zScore = 1.96 // 95% of a normal distribution

	// minStratum is the number of posts from which those of a language and domain are estimated on
	// their own. Fewer are estimated together with the largest.
	minStratum = 40
)

// Estimate returns the share of each class among the posts whose scores are known, or nil if there are
// none. Posts with certain scores count as they are. Each post is estimated with the table of the models
// that scored it, and counted if there is none.
func (e *Estimator) Estimate(groups []Group) []Share {
	certain, strata, all := e.split(groups)
	if all == 0 {
		return nil
	}
	classes := e.task.Classes
	sums, below, above, random := slices.Clone(certain), make([]float64, classes), make([]float64, classes), make([]float64, classes)
	for _, s := range strata {
		est := e.count(s)
		if s.by != nil {
			est = s.by.stratum(s)
		}
		for k := range sums {
			sums[k] += s.posts * est.shares[k]
			below[k] += s.posts * est.below[k] // the same cause may affect all strata
			above[k] += s.posts * est.above[k]
			random[k] += s.posts * s.posts * est.sampling[k] * est.sampling[k]
		}
	}
	list := make([]Share, classes)
	for k := range list {
		share := sums[k] / all
		low := share - math.Sqrt(below[k]*below[k]+random[k])/all
		high := share + math.Sqrt(above[k]*above[k]+random[k])/all
		list[k] = Share{share, max(certain[k]/all, low), min(1-(sum(certain)-certain[k])/all, high)}
	}
	return list
}

// A stratum is the posts of a language and domain that the same models scored.
type stratum struct {
	by       *Estimator // has the table of these models; nil: there is none
	language string
	domain   sentiment.Domain
	cells    []float64 // posts by cell
	posts    float64
}

// split returns the numbers of posts that are certainly of each class, the other posts by language and
// domain, and the number of all.
func (e *Estimator) split(groups []Group) (certain []float64, strata []*stratum, all float64) {
	certain = make([]float64, e.task.Classes)
	for _, g := range groups {
		if g.Cell == 0 || int(g.Cell) >= len(e.task.Assigned) || !(g.Posts > 0) {
			continue
		}
		all += g.Posts
		by := e.of(g.Models)
		if class := g.Cell.Certain(e.task.Classes); class >= 0 && by != nil { // models without a table stated scores of 100
			certain[class] += g.Posts
			continue
		}
		at := slices.IndexFunc(strata, func(s *stratum) bool { return s.by == by && s.language == g.Language && s.domain == g.Domain })
		if at < 0 {
			at = len(strata)
			strata = append(strata, &stratum{by, g.Language, g.Domain, make([]float64, len(e.task.Assigned)), 0})
		}
		strata[at].add(g.Cell, g.Posts)
	}
	return certain, mergeSmall(strata), all
}

// of returns the estimator for the scores of a version of the models, or nil if there is none.
func (e *Estimator) of(models uint16) *Estimator {
	by := e
	for _, v := range e.versions {
		if models >= v.models {
			by = v.Estimator
		}
	}
	return by
}

// present returns the cells that have posts.
func (s *stratum) present() (cells []int) {
	for cell, n := range s.cells {
		if n > 0 {
			cells = append(cells, cell)
		}
	}
	return cells
}

func (s *stratum) add(cell earshot.ScoreCell, posts float64) {
	s.cells[cell] += posts
	s.posts += posts
}

// mergeSmall adds strata with few posts to the largest one of the same models.
func mergeSmall(strata []*stratum) []*stratum {
	largest := map[*Estimator]*stratum{}
	for _, s := range strata {
		if l := largest[s.by]; l == nil || s.posts > l.posts {
			largest[s.by] = s
		}
	}
	kept := strata[:0:0]
	for _, s := range strata {
		l := largest[s.by]
		if s == l || s.posts >= minStratum {
			kept = append(kept, s)
			continue
		}
		for cell, posts := range s.cells {
			l.add(earshot.ScoreCell(cell), posts)
		}
	}
	return kept
}
