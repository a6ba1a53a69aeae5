package testenv

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// WantKinds compares kinds of stored data with the lines of a file, the first of which names the format.
// A line may end with a comment, after "  # ".
func WantKinds(t testing.TB, file, format string, kinds []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		kind, _, _ := strings.Cut(strings.TrimSpace(line), "  # ")
		listed[kind] = true
	}
	if !listed[format] {
		t.Errorf("%s does not say %q: the format was raised. Update the file, and add a data directory of the format "+
			"before to internal/app/scenariotest/testdata/olddata", file, format)
	}
	delete(listed, format)
	for _, kind := range kinds {
		if !listed[kind] {
			t.Errorf("%s does not list %q. Versions that do not maintain it must refuse the data: raise the format "+
				"(docs/decisions/0074-data-formats.md). If they may ignore it, add the line with a comment that says why", file, kind)
		}
		delete(listed, kind)
	}
	for _, kind := range slices.Sorted(maps.Keys(listed)) {
		t.Errorf("%s lists %q, which does not exist", file, kind)
	}
}
