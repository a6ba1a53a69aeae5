// Package people infers the gender and age group of an author, and whether a profile belongs to an
// organization, from what the profile shows. For groups of authors, it estimates the distribution
// of ethnic groups from their surnames.
//
// A profile is converted to [Evidence] once: the first names in it, what the bio declares, and its
// words and n-grams as hashed features. Two linear models score the evidence, one for gender and
// one for organizations. Below the thresholds in the model cards, the result is unknown.
//
// Attributes that authors state in structured fields, and places, are outside the scope of this
// package. internal/model/people/train trains the models.
package people

import (
	_ "embed"
	"fmt"
	"sync"
)

// Version must increase when results change.
const Version = 3

// FileVersion is the version that the model files begin with.
const FileVersion = 2

// A Profile is the available information about an author. Any field may be empty or nonsense.
type Profile struct {
	Name     string // as shown: a display name, "handle (Display Name)" or a handle
	Username string // without @
	Bio      string
	Text     string // text of the post, which is weak evidence
	Language string // two lowercase letters
	Country  string // three capital letters
}

// The model files, with the names that train.Build gives them.
var (
	//go:embed names.bin
	namesFile []byte

	//go:embed gender.bin
	genderFile []byte

	//go:embed surnames.bin
	surnamesFile []byte
)

// A Model infers attributes of profiles. It is safe for concurrent use and deterministic.
type Model struct {
	*Extractor
	weights  *weights
	surnames func() (*surnames, error) // loaded on first use
}

// New returns the built-in models, which are loaded once.
func New() (*Model, error) { return compiled() }

var compiled = sync.OnceValues(readCompiled)

func readCompiled() (*Model, error) {
	reader, err := NewExtractor(namesFile)
	if err != nil {
		return nil, fmt.Errorf("read first names: %w", err)
	}
	weights, err := readWeights(genderFile)
	if err != nil {
		return nil, fmt.Errorf("read weights: %w", err)
	}
	return &Model{
		Extractor: reader,
		weights:   weights,
		surnames:  sync.OnceValues(func() (*surnames, error) { return readSurnames(surnamesFile) }),
	}, nil
}
