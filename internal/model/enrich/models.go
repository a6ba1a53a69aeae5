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

// Version is that of all models together. It rises whenever one of them, or the way
// they are used, tells something else of some post: stored posts know which version has
// seen them.
const Version = 1

// Versions returns the versions of the models that are part of the program, by model;
// "all" is Version.
func Versions() map[string]int {
	return map[string]int{
		"all":       Version,
		"language":  langid.Version,
		"sentiment": sentiment.Version,
		"people":    people.Version,
		"places":    geo.ResolverVersion,
		"interests": interest.Version,
		"images":    vision.Version,
	}
}

// models are what posts are completed with.
type models struct {
	language  *langid.Model
	sentiment *sentiment.Model
	people    *people.Model
	interest  *interest.Model
	vision    *vision.Model
}

// builtIn returns the models that are part of the program, which are read once and never
// change. That they cannot be read is a fault of the build, not of a caller.
var builtIn = sync.OnceValue(func() *models {
	m, err := load()
	if err != nil {
		panic(fmt.Sprintf("enrich: read the embedded models: %v", err))
	}
	return m
})

// load reads all models, side by side.
func load() (*models, error) {
	m := new(models)
	var all errgroup.Group
	all.Go(func() (err error) { m.language, err = langid.New(); return err })
	all.Go(func() (err error) { m.sentiment, err = sentiment.New(); return err })
	all.Go(func() (err error) { m.people, err = people.New(); return err })
	all.Go(func() (err error) { m.interest, err = interest.New(); return err })
	all.Go(func() (err error) { m.vision, err = vision.New(); return err })
	return m, all.Wait()
}

// fillInferredBy notes which models have seen a post.
func (e *Enricher) fillInferredBy(p *earshot.Post) { p.InferredBy = e.modelVersion.Load() }

// ModelVersion returns what posts note that are completed: Version, below the generation.
func (e *Enricher) ModelVersion() uint32 { return e.modelVersion.Load() }

// SetGeneration says how often an operator has had all posts seen again, whatever Version
// had seen them: own models may be others each time.
func (e *Enricher) SetGeneration(n uint32) { e.modelVersion.Store(ModelVersion(n)) }

// ModelVersion returns what posts note that Version completes in a generation.
func ModelVersion(generation uint32) uint32 { return generation<<16 | Version }
