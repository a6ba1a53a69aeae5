package colfile

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden file, which means that existing files can no longer be read")

// TestGoldenFile reads a file that was written when format version 1 was defined. Existing
// installations have such files, so if this test fails, the change requires a version 2.
func TestGoldenFile(t *testing.T) {
	fresh := write(t, sampleOptions(), fillSample)
	path := filepath.Join("testdata", "v1.seg")
	if *update {
		if err := os.WriteFile(path, readFile(t, fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, errs := dumpAll(reopen(t, path))
	want, _ := dumpAll(reopen(t, fresh))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("section %s: got:\n%s\nwant:\n%s", name, got[name], want[name])
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %d sections, want %d", len(got), len(want))
	}
}
