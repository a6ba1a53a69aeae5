package enrich

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sums has, by version, the checksum of all files that models are made of.
var sums = map[int]string{
	1: "ccf619146d010cf3",
}

// TestVersionRisesWithTheModels fails when models were made anew and Version was not
// raised: stored posts would not be reinferred.
func TestVersionRisesWithTheModels(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"../langid/*.bin", "../sentiment/*.bin", "../people/*.bin", "../interest/*.bin",
		"../vision/*.tsv", "../vision/*.txt", "../../geo/*.bin", "../../geo/*.tsv*", "../../geo/*.txt",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: got %q, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	all := sha256.New()
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(all, f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := hex.EncodeToString(all.Sum(nil)[:8]), sums[Version]; got != want {
		t.Errorf("the models of version %d have the checksum %s, now it is %s: raise Version and note the new one", Version, want, got)
	}
}
