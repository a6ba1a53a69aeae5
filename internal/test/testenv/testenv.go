// Package testenv describes the environment that tests run in, and why a test may be skipped.
//
// make test runs every test without the race detector, and some packages under it, too. Afterwards,
// testrun fails if a test passed in neither run, unless one of the functions here skipped it.
package testenv

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
)

var long = flag.Bool("long", false, "run the long campaigns of make long and the measurements of make measure")

// Long reports whether a test runs its long campaign, with -long.
func Long() bool { return *long }

// Rounds returns how often a random test repeats itself: usually, or in make long. Under the race
// detector, a third of the usual rounds is enough.
func Rounds(usual, long int) int {
	switch {
	case Long():
		return long
	case Race:
		return max(1, usual/3)
	default:
		return usual
	}
}

// Seed returns a number that differs from commit to commit, so that random tests with few rounds
// cover more with each run of make test. The number is in EARSHOT_TEST_SEED, in hexadecimal; without
// it, the seed is 0.
func Seed() uint64 {
	n, _ := strconv.ParseUint(os.Getenv("EARSHOT_TEST_SEED"), 16, 64)
	return n
}

// InTurn reports whether a test runs the case with a number now. make test runs one in n cases; which
// ones depends on the commit. Without a seed, and with -long, all cases run.
func InTurn(number, n int) bool {
	return Long() || Seed() == 0 || (Seed()+uint64(number))%uint64(n) == 0
}

// The reasons for which a test may run in no part of make test.
const (
	LongReason    = "runs only with -long"
	HelperReason  = "not a test by itself"
	MissingReason = "not available here"
)

// SkipUnlessLong skips a test that takes too long for make test.
func SkipUnlessLong(t testing.TB) {
	t.Helper()
	if !*long {
		t.Skip(LongReason)
	}
}

// SkipHelper skips a function that is a test only so that something can run it by name, such as a
// test that needs a process of its own, or a target of the Makefile.
func SkipHelper(t testing.TB, runBy string) {
	t.Helper()
	t.Skip(HelperReason+": run by", runBy)
}

// SkipMissing skips a test of something that this machine does not have: data, a program, a
// permission.
func SkipMissing(t testing.TB, what any) {
	t.Helper()
	t.Skip(MissingReason+":", what)
}

// SkipUnderRace skips a test under the race detector. Use it for tests that start no goroutines of
// their own, or repeat other tests with more data: the race detector would find nothing new and make
// them ten times slower.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("skipped under the race detector: the test has no concurrency of its own")
	}
}

// LogJSON logs the result of a measurement. It appears with -v.
func LogJSON(t testing.TB, result any) {
	t.Helper()
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(t.Output(), "%s\n", text)
}
