// Command testrun runs go test, remembers what ran, and checks that no test was left out.
//
//	testrun run NAME ARGS...       run go test with ARGS, and record the run in .test/NAME.json
//	testrun run -cpu NAME ARGS...  the same, and measure processor time; Go's test cache is not used
//	testrun check                  fail if a test of this module passed in none of the recorded runs
//	testrun times                  print the recorded times by package and by test, as Markdown
//
// Package testenv has the reasons for which a test may be skipped in every run. Such tests are listed.
package main

import (
	"fmt"
	"os"
)

// recordDir is where runs are recorded.
const recordDir = ".test"

func main() {
	err := fmt.Errorf("usage: testrun run [-cpu] NAME ARGS... | check | times")
	switch args := os.Args[1:]; {
	case len(args) > 2 && args[0] == "run" && args[1] == "-cpu":
		err = run(args[2], true, args[3:])
	case len(args) > 1 && args[0] == "run":
		err = run(args[1], false, args[2:])
	case len(args) == 1 && args[0] == "check":
		err = check()
	case len(args) == 1 && args[0] == "times":
		err = printTimes(os.Stdout)
	case len(args) > 1 && args[0] == "exec": // go test calls it for each test binary
		os.Exit(measure(args[1:]))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
}
