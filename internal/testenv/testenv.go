// Package testenv tells tests what they run under.
package testenv

import (
	"fmt"
	"os"
	"testing"
)

// SkipUnderRace skips a test that starts no goroutines of its own, or does the same as others
// with more data: the race detector finds nothing in it and makes it ten times slower.
// scripts/without-race runs such tests without it.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("computes, and shares nothing: runs without the race detector")
	}
}

// Main is the TestMain of a package that starts no goroutines. Under the race detector it runs
// no tests; scripts/without-race runs them.
func Main(m *testing.M) {
	if Race {
		fmt.Println("skipped: no goroutines, so the race detector has nothing to find")
		return
	}
	os.Exit(m.Run())
}
