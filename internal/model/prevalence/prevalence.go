// Package prevalence estimates the shares of sentiments and emotions among posts, with intervals.
//
// Counting the most likely class of each post is biased: a model that takes one in three neutral
// posts for a negative one reports too many negative posts wherever most posts are neutral. How often
// it does so depends on where posts come from, and that is the largest error: tweets about politics,
// headlines and reviews are not scored alike. The table of this package has a profile for each of many
// sources of labeled texts: how the scores of each class are distributed there. Given the scores of
// some posts, every profile yields an estimate, the mix of classes that explains the scores best. The
// profiles that explain them better, and those of the same language and domain, count more. The
// estimate is the mean, and the differences between profiles are part of the interval.
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

// Sentiments and Emotions return the estimators of [earshot.BasicCategories] and
// [earshot.BasicEmotions].
func Sentiments() *Estimator { return builtin().sentiments }

func Emotions() *Estimator { return builtin().emotions }

var builtin = sync.OnceValue(func() estimators {
	t, err := ReadTable(tableFile)
	if err != nil {
		panic(fmt.Sprintf("prevalence: read the built-in table: %v", err))
	}
	return estimators{New(&t.Sentiments), New(&t.Emotions)}
})

type estimators struct{ sentiments, emotions *Estimator }

// A Table contains the profiles of both tasks.
type Table struct {
	Sentiments, Emotions Task
}

// A Task contains the profiles of one task, and the settings of its estimator.
type Task struct {
	Classes  int
	Centers  [][]float64 // typical scores of each cell
	Profiles []Profile
	Settings Settings
}

// A Profile counts the labeled texts of a source by class and cell.
type Profile struct {
	Source   string
	Language string
	Domain   sentiment.Domain
	Counts   [][]float64 // by class, then by cell; nil for a class that the source does not have
}

// Settings are fitted to the profiles by cross-validation.
type Settings struct {
	// Prior is how much an estimate is drawn toward an even mix, as a fraction of the posts.
	Prior float64

	// Fit is how many posts count when profiles are weighted by how well they explain the scores. With
	// more, the best profile decides; with 0, all are equal.
	Fit float64

	// Language and Domain are how much more a profile of the same language or domain counts.
	Language, Domain float64

	// Mean is the weight of the mean score in the estimate.
	Mean float64

	// Between is the factor of the differences between profiles, and Known and Unknown are the errors
	// that they do not show, for posts of a language and domain with and without a profile.
	Between, Known, Unknown float64
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
	Posts    float64
}

// A Share is the estimated share of a class, with its 95% interval.
type Share struct{ Share, Low, High float64 }

const (
	zScore = 1.96 // 95% of a normal distribution

	// minStratum is the number of posts from which those of a language and domain are estimated on
	// their own. Fewer are estimated together, because each estimate is drawn toward an even mix.
	minStratum = 40

	// maxProfiles is the number of profiles that an estimate uses. More take longer, and those of
	// other languages and domains count little.
	maxProfiles = 16
)

// Estimate returns the share of each class among the posts whose scores are known, or nil if there are
// none. Posts with certain scores count as they are.
func (e *Estimator) Estimate(groups []Group) []Share {
	certain, strata, all := e.split(groups)
	if all == 0 {
		return nil
	}
	sums, systematic, random := slices.Clone(certain), make([]float64, e.classes), make([]float64, e.classes)
	for _, s := range strata {
		shares, between, within := e.stratum(s)
		for k := range sums {
			sums[k] += s.posts * shares[k]
			systematic[k] += s.posts * between[k] // the same cause may affect all strata
			random[k] += s.posts * s.posts * within[k] * within[k]
		}
	}
	list := make([]Share, e.classes)
	for k := range list {
		share := sums[k] / all
		margin := zScore * math.Sqrt(systematic[k]*systematic[k]+random[k]) / all
		list[k] = Share{share, max(certain[k]/all, share-margin), min(1, share+margin)}
	}
	return list
}

// A stratum is the posts of a language and domain.
type stratum struct {
	language string
	domain   sentiment.Domain
	cells    []float64 // posts by cell
	posts    float64
}

// split returns the numbers of posts that are certainly of each class, the other posts by language and
// domain, and the number of all.
func (e *Estimator) split(groups []Group) (certain []float64, strata []*stratum, all float64) {
	certain = make([]float64, e.classes)
	for _, g := range groups {
		if g.Cell == 0 || int(g.Cell) >= e.cells || !(g.Posts > 0) {
			continue
		}
		all += g.Posts
		if class := g.Cell.Certain(e.classes); class >= 0 {
			certain[class] += g.Posts
			continue
		}
		at := slices.IndexFunc(strata, func(s *stratum) bool { return s.language == g.Language && s.domain == g.Domain })
		if at < 0 {
			at = len(strata)
			strata = append(strata, &stratum{g.Language, g.Domain, make([]float64, e.cells), 0})
		}
		strata[at].add(g.Cell, g.Posts)
	}
	return certain, e.mergeSmall(strata), all
}

func (s *stratum) add(cell earshot.ScoreCell, posts float64) {
	s.cells[cell] += posts
	s.posts += posts
}

// mergeSmall adds strata with few posts to the largest one.
func (e *Estimator) mergeSmall(strata []*stratum) []*stratum {
	if len(strata) < 2 {
		return strata
	}
	largest := slices.MaxFunc(strata, func(a, b *stratum) int {
		if a.posts != b.posts {
			return int(math.Copysign(1, a.posts-b.posts))
		}
		return 0
	})
	kept := strata[:0:0]
	for _, s := range strata {
		if s == largest || s.posts >= minStratum {
			kept = append(kept, s)
			continue
		}
		for cell, posts := range s.cells {
			largest.add(earshot.ScoreCell(cell), posts)
		}
	}
	return kept
}
