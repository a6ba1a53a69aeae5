// Package testenv describes the environment that tests run in.
package testenv

import (
	"fmt"
	"os"
	"testing"
)

// SkipUnderRace skips a test if the race detector is enabled. Use it for tests that start no
// goroutines of their own, or repeat other tests with more data: the race detector would find
// nothing new and make them ten times slower. scripts/unit runs the skipped tests.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("skipped under the race detector: the test has no concurrency of its own")
	}
}

// Main is the TestMain of a package that starts no goroutines. Under the race detector it runs no
// tests; scripts/unit runs them.
func Main(m *testing.M) {
	if Race {
		fmt.Println("skipped under the race detector: the package starts no goroutines")
		return
	}
	os.Exit(m.Run())
}
