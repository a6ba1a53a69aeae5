package net

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/model/vision"
)

//go:embed imagenet.txt
var categoryList string

// imageNetCategories is the number of categories of the classifier.
const imageNetCategories = 1000

// A group is the categories of the classifier that show a class.
type group struct {
	class      vision.Class
	categories []int
	fine       bool    // the class has a parent, such as a breed of dogs
	broad      bool    // reported only if nothing more specific is
	specifics  []int64 // IDs of objects that are more specific than a broad class
}

// readGroups parses the list of categories. imagenet.txt describes the format.
func readGroups(list string, lists *vision.Model) ([]group, error) {
	type key struct {
		kind vision.Type
		name string
	}
	classes := map[key]vision.Class{}
	for _, c := range lists.Classes() {
		classes[key{c.Type, c.Name}] = c
	}
	var groups []group
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		before, numbers, _ := strings.Cut(line, ": ")
		kind, name, _ := strings.Cut(before, " ")
		g := group{broad: kind == "broad"}
		if g.broad {
			var specifics string
			kind = string(vision.Object)
			name, specifics, _ = strings.Cut(strings.TrimSuffix(name, ")"), " (")
			ids, err := readNumbers(specifics, cocoClasses+1)
			if err != nil {
				return nil, fmt.Errorf("specific classes of %s: %w", name, err)
			}
			for _, id := range ids {
				g.specifics = append(g.specifics, int64(id))
			}
		}
		var ok bool
		if g.class, ok = classes[key{vision.Type(kind), name}]; !ok {
			return nil, fmt.Errorf("categories of the unknown class %q", before)
		}
		_, g.fine = lists.Parent(g.class.ID)
		var err error
		if g.categories, err = readNumbers(numbers, imageNetCategories); err != nil || len(g.categories) == 0 {
			return nil, fmt.Errorf("categories of %s: %q: %w", before, numbers, err)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// readNumbers parses a list of numbers below a limit and of ranges of them, such as "1, 4-6".
func readNumbers(list string, limit int) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var numbers []int
	for part := range strings.SplitSeq(list, ", ") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, errFrom := strconv.Atoi(first)
		to, errTo := strconv.Atoi(last)
		if errFrom != nil || errTo != nil || from < 0 || to < from || to >= limit {
			return nil, fmt.Errorf("invalid range %q", part)
		}
		for n := from; n <= to; n++ {
			if slices.Contains(numbers, n) {
				return nil, fmt.Errorf("%d is listed twice", n)
			}
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// sum returns the probability of the group.
func (g *group) sum(probabilities []float32) float64 {
	var total float64
	for _, c := range g.categories {
		total += float64(probabilities[c])
	}
	return min(total, 1)
}
