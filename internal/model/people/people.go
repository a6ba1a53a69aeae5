// Package people tells what a profile shows of its author: a gender, a bracket of
// age, whether it is an organisation at all; and of many authors together, the
// shares of the groups that surnames are common in.
//
// A profile is read once, into Evidence: the first names that it spells, what a bio
// declares, and its words and letters as hashed features. Two linear models weigh
// the evidence, one for gender and one for organisations. Nothing is guessed below
// the thresholds that the model cards state: unknown stays unknown.
//
// What an author declares in fields of its own, and where people live, is left to
// others. The models are made by internal/model/people/train.
package people

import (
	_ "embed"
	"fmt"
	"sync"
)

// Version counts changes of what the models answer.
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

// A Model answers questions about profiles. It is safe for parallel use, and
// answers for the same profile are the same.
type Model struct {
	*Reader
	weights  *weights
	surnames func() (*surnames, error) // read when first asked for
}

// New returns the models that are compiled in. They are read once, and all get the same.
func New() (*Model, error) { return compiled() }

var compiled = sync.OnceValues(readCompiled)

func readCompiled() (*Model, error) {
	reader, err := NewReader(namesFile)
	if err != nil {
		return nil, fmt.Errorf("read first names: %w", err)
	}
	weights, err := readWeights(genderFile)
	if err != nil {
		return nil, fmt.Errorf("read weights: %w", err)
	}
	return &Model{
		Reader:   reader,
		weights:  weights,
		surnames: sync.OnceValues(func() (*surnames, error) { return readSurnames(surnamesFile) }),
	}, nil
}
