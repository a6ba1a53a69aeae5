// Package train builds the model files of internal/model/people from lists of names and labeled
// profiles. Builds are reproducible byte for byte: sums are computed in a fixed order, and every
// product is rounded before it is added.
package train

import (
	"fmt"
	"path/filepath"
)

// Build reads the data folder and returns the model files by name.
func Build(data string) (map[string][]byte, error) {
	folder := filepath.Join(data, "names")
	names, err := buildFirstNames(folder)
	if err != nil {
		return nil, fmt.Errorf("build first names: %w", err)
	}
	gender, err := trainWeights(folder, names)
	if err != nil {
		return nil, fmt.Errorf("train gender: %w", err)
	}
	surnames, err := buildSurnames(folder)
	if err != nil {
		return nil, fmt.Errorf("build surnames: %w", err)
	}
	return map[string][]byte{
		"names.bin":    names.file,
		"gender.bin":   gender,
		"surnames.bin": surnames,
	}, nil
}
