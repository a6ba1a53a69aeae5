package enrich

import (
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/model/interest"
	"earshot/internal/model/langid"
	"earshot/internal/model/people"
	"earshot/internal/model/sentiment"
	"earshot/internal/model/vision"
)

// Version is the version of all models together. It must increase whenever a change to a model, or
// to its use, changes any inferred attribute. Stored posts record the version that enriched them.
// Versions are odd from 7 on, so the next one is 9: Version+1 marks posts that had a second look.
const Version = 7

// Versions returns the versions of the built-in models by name. "all" is [Version].
func Versions() map[string]int {
	return map[string]int{
		"all":       Version,
		"language":  langid.Version,
		"sentiment": sentiment.Version,
		"people":    people.Version,
		"places":    geo.ResolverVersion,
		"interests": interest.Version,
		"images":    vision.Version,
		"pictures":  vision.NetVersion,
	}
}

// models are the built-in models.
type models struct {
	language  *langid.Model
	sentiment *sentiment.Model
	people    *people.Model
	interest  *interest.Model
	vision    *vision.Model
}

// builtinModels returns the built-in models, which are loaded once and immutable. A failure is a
// defect of the build, so it panics.
var builtinModels = sync.OnceValue(func() *models {
	m, err := loadModels()
	if err != nil {
		panic(fmt.Sprintf("enrich: read the embedded models: %v", err))
	}
	return m
})

// loadModels loads all models concurrently.
func loadModels() (*models, error) {
	m := new(models)
	var all errgroup.Group
	all.Go(func() (err error) { m.language, err = langid.New(); return err })
	all.Go(func() (err error) { m.sentiment, err = sentiment.New(); return err })
	all.Go(func() (err error) { m.people, err = people.New(); return err })
	all.Go(func() (err error) { m.interest, err = interest.New(); return err })
	all.Go(func() (err error) { m.vision, err = vision.New(); return err })
	return m, all.Wait()
}

// fillInferredBy records which models enriched a post.
func (e *Enricher) fillInferredBy(p *earshot.Post) { p.InferredBy = e.modelVersion.Load() }

// ModelVersion returns the InferredBy value of the posts that e enriches.
func (e *Enricher) ModelVersion() uint32 { return e.modelVersion.Load() }

// SetGeneration sets how many times an operator has requested that all posts be reinferred. Each
// request changes the model version, because custom models may have changed.
func (e *Enricher) SetGeneration(n uint32) { e.modelVersion.Store(ModelVersion(n)) }

// ModelVersion returns the InferredBy value of posts enriched by [Version]. The generation is in
// the upper 16 bits.
func ModelVersion(generation uint32) uint32 { return generation<<16 | Version }
