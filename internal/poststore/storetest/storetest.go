// Package storetest contains the contract tests for post stores. [Run] checks the contract case by
// case. [Compare] checks that two stores return the same results for random queries over random
// posts.
package storetest

import (
	"slices"
	"testing"

	"earshot/internal/poststore"
	"earshot/internal/test/testenv"
)

// A testCase checks one guarantee. Its name is a sentence.
type testCase struct {
	name string
	run  func(s *subject)
}

// Run checks that a store satisfies the contract. open must return a new, empty store for each case
// and close it when the test ends.
func Run(t *testing.T, open func(t *testing.T) poststore.Store) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) { c.run(&subject{T: t, Store: open(t)}) })
	}
}

// RunInTurn is Run for a store that takes long: make test runs half of the cases.
func RunInTurn(t *testing.T, open func(t *testing.T) poststore.Store) {
	for i, c := range cases() {
		if testenv.InTurn(i, 2) {
			t.Run(c.name, func(t *testing.T) { c.run(&subject{T: t, Store: open(t)}) })
		}
	}
}

func cases() []testCase {
	return slices.Concat(
		appendCases,
		postCases,
		deleteCases,
		selectCases,
		keyCases,
		correctionCases,
		havingCases,
		tallyCases,
		talliesCases,
		daysCases,
		histogramCases,
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
		similarCases,
		rankCases,
		changedCases,
		counterCases,
		contextCases,
	)
}
