// Package train compiles the table of package interest from the hand-maintained list interests.txt.
// It is not part of the service.
package train

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strings"

	"earshot/internal/model/dataset"
	"earshot/internal/model/interest"
)

//go:embed interests.txt
var source string

// Build returns the files that package interest embeds. The list is embedded in this package. From
// the data folder, Build reads only the taxonomies whose ids the list references.
func Build(data string) (map[string][]byte, error) {
	known := map[string]bool{}
	for file, prefix := range map[string]string{"iab_audience_interests_1_1.tsv.gz": "", "iab_content_taxonomy_3_1.tsv.gz": "c"} {
		if err := readNumbers(known, filepath.Join(data, "lexicons", file), prefix); err != nil {
			return nil, err
		}
	}
	sections, err := parse(source)
	if err != nil {
		return nil, fmt.Errorf("interests.txt: %w", err)
	}
	terms, err := collect(sections, known)
	if err != nil {
		return nil, fmt.Errorf("interests.txt: %w", err)
	}
	table, err := interest.Compile(terms)
	if err != nil {
		return nil, fmt.Errorf("interests.txt: %w", err)
	}
	return map[string][]byte{"interests.bin": table}, nil
}

// readNumbers adds the first column of a table to known, with a prefix.
func readNumbers(known map[string]bool, path, prefix string) error {
	for line, err := range dataset.Lines(path) {
		if err != nil {
			return err
		}
		number, _, _ := strings.Cut(line, "\t")
		known[prefix+number] = true
	}
	return nil
}

// collect returns the terms of all sections. Each interest must have exactly one section, in its
// group, and the section must reference the taxonomies.
func collect(sections []section, known map[string]bool) ([]interest.Term, error) {
	missing := map[string]interest.Interest{}
	for _, in := range interest.All() {
		missing[in.Name] = in
	}
	var terms []interest.Term
	for _, s := range sections {
		in, ok := missing[s.name]
		if s.name != nothing && (!ok || in.Group != s.group) {
			return nil, fmt.Errorf("line %d: unknown interest or duplicate section: %s in group %s", s.line, s.name, s.group)
		}
		delete(missing, s.name)
		for _, number := range s.numbers {
			if !known[number] {
				return nil, fmt.Errorf("line %d: unknown taxonomy id %s", s.line, number)
			}
		}
		for _, t := range s.terms {
			terms = append(terms, interest.Term{Interest: in.ID, Strength: t.strength, Spellings: t.spellings})
		}
	}
	for _, in := range interest.All() {
		if _, ok := missing[in.Name]; ok {
			return nil, fmt.Errorf("%s has no section", in.Name)
		}
	}
	return terms, nil
}
