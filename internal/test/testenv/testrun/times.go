package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// How many lines the tables have at most.
const (
	slowestPackages = 40
	slowestTests    = 40
)

// A measurement is how long a package or a test took in a run.
type measurement struct {
	testID
	run     string
	seconds float64
	cpu     float64 // seconds; 0: not measured
	tests   int
}

// printTimes prints the packages and tests that took longest.
func printTimes(w io.Writer) error {
	names, err := runs()
	if err != nil {
		return err
	}
	var packages, tests []measurement
	for _, name := range names {
		cpu, count := map[string]float64{}, map[string]int{}
		err := readRun(name, func(e event) {
			m := measurement{testID: testID{e.Package, e.Test}, run: name, seconds: e.Elapsed}
			switch {
			case e.Action == "output":
				fmt.Sscanf(e.Output, cpuLine+"%f", &m.cpu)
				cpu[e.Package] += m.cpu
			case e.Action == "skip":
			case e.Test == "":
				m.cpu, m.tests = cpu[e.Package], count[e.Package]
				packages = append(packages, m)
			case !strings.Contains(e.Test, "/"):
				count[e.Package]++
				tests = append(tests, m)
			}
		})
		if err != nil {
			return err
		}
	}
	totals := map[string]*measurement{}
	for _, m := range packages {
		t := totals[m.run]
		if t == nil {
			t = &measurement{run: m.run}
			totals[m.run] = t
		}
		t.seconds, t.cpu, t.tests = t.seconds+m.seconds, t.cpu+m.cpu, t.tests+m.tests
	}
	fmt.Fprint(w, "| Run | Package | Tests | Seconds | CPU seconds |\n|---|---|---:|---:|---:|\n")
	for _, run := range slices.Sorted(maps.Keys(totals)) {
		t := totals[run]
		fmt.Fprintf(w, "| %s | all | %d | %.0f | %.0f |\n", run, t.tests, t.seconds, t.cpu)
	}
	for _, m := range slowest(packages, slowestPackages) {
		fmt.Fprintf(w, "| %s | `%s` | %d | %.1f | %.1f |\n", m.run, m.pkg, m.tests, m.seconds, m.cpu)
	}
	fmt.Fprint(w, "\n| Run | Package | Test | Seconds |\n|---|---|---|---:|\n")
	for _, m := range slowest(tests, slowestTests) {
		fmt.Fprintf(w, "| %s | `%s` | `%s` | %.1f |\n", m.run, m.pkg, m.test, m.seconds)
	}
	return nil
}

// slowest returns the n measurements that took longest.
func slowest(all []measurement, n int) []measurement {
	slices.SortFunc(all, func(a, b measurement) int { return cmp.Compare(b.seconds, a.seconds) })
	return all[:min(n, len(all))]
}
