// Package people infers gender, age group and whether a profile is an organization from what the
// profile shows; and for many authors together, the distribution of ethnicities by surname.
//
// A profile is turned into Evidence once: the first names in it, what a bio declares, and its words
// and n-grams as hashed features. Two linear models score the evidence, one for gender and one for
// organizations. Below the thresholds in the model cards the result is unknown.
//
// What an author declares in fields of its own, and where people live, is left to
// others. The models are made by internal/model/people/train.
package people

import (
	_ "embed"
	"fmt"
	"sync"
)

// Version increases when results change.
const Version = 1

// A Profile is what there is to read of an author. All of it may be empty, and all
// of it may be nonsense.
type Profile struct {
	Name     string // as shown: a display name, "handle (Display Name)", or a handle
	Username string // without @
	Bio      string
	Text     string // of the post: weak evidence
	Language string // two lower-case letters
	Country  string // three capital letters
}

// The model files, by the names that train.Build gives them.
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
	surnames func() (*surnames, error) // read on first use
}

// New returns the built-in models, which are read once.
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
