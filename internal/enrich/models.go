package enrich

import (
	"fmt"
	"sync"

	"earshot"
	"earshot/internal/interest"
	"earshot/internal/langid"
	"earshot/internal/people"
	"earshot/internal/sentiment"
	"earshot/internal/vision"
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

func load() (m *models, err error) {
	m = new(models)
	if m.language, err = langid.New(); err != nil {
		return nil, err
	}
	if m.sentiment, err = sentiment.New(); err != nil {
		return nil, err
	}
	if m.people, err = people.New(); err != nil {
		return nil, err
	}
	if m.interest, err = interest.New(); err != nil {
		return nil, err
	}
	m.vision, err = vision.New()
	return m, err
}

// fillModels notes which models have seen a post.
func (e *Enricher) fillModels(p *earshot.Post) { p.Models = e.seen.Load() }

// Seen returns what posts note that are completed: Version, below the generation.
func (e *Enricher) Seen() uint32 { return e.seen.Load() }

// SetGeneration says how often an operator has had all posts seen again, whatever Version
// had seen them: own models may be others each time.
func (e *Enricher) SetGeneration(n uint32) { e.seen.Store(n<<16 | Version) }
