// Package storetest holds what every post store promises, as tests: Run checks
// the contract case by case, and Compare checks that two stores answer random
// questions about random posts alike.
package storetest

import (
	"slices"
	"testing"

	"earshot/internal/poststore"
)

// A testCase is one promise. Its name is a sentence.
type testCase struct {
	name string
	run  func(s *subject)
}

// Run checks that a store keeps the contract. open returns an empty store, a new
// one for each case, and has it closed when the test ends.
func Run(t *testing.T, open func(t *testing.T) poststore.Store) {
	cases := slices.Concat(
		appendCases,
		postCases,
		deleteCases,
		selectCases,
		havingCases,
		tallyCases,
		talliesCases,
		daysCases,
		fingerprintCases,
		dimCases,
		ethnicityCases,
		zoneCases,
		measureCases,
		rematchCases,
		generationCases,
		categorizeCases,
		uncategorizedCases,
		setCases,
		reinferCases,
		snapshotCases,
		findCases,
		wordCases,
		changedCases,
		counterCases,
		contextCases,
	)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(&subject{T: t, Store: open(t)}) })
	}
}
