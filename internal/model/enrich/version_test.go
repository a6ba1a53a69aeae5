package enrich

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sums is the checksum of all model files, by version.
var sums = map[int]string{
	1: "10ee0f8dc819c0d4",
	2: "90590e32c276a5c6",
	3: "05b132713c86ca56",
	4: "54d908ae1d3ce324",
	5: "394fa316d24a3cc0",
	6: "394fa316d24a3cc0",
	7: "394fa316d24a3cc0",
}

// parts are the versions of the models, by [Version]. Rules of a model may change without its files.
var parts = map[int]string{
	5: "map[all:5 images:2 interests:1 language:2 people:2 pictures:1 places:2 sentiment:3]",
	6: "map[all:6 images:2 interests:1 language:2 people:2 pictures:2 places:2 sentiment:3]",
	7: "map[all:7 images:2 interests:1 language:2 people:3 pictures:3 places:2 sentiment:3]",
}

// TestVersionMatchesParts fails if the version of a model changed and Version did not increase,
// because stored posts would not be reinferred.
func TestVersionMatchesParts(t *testing.T) {
	if got, want := fmt.Sprint(Versions()), parts[Version]; got != want {
		t.Errorf("version %d has the models %s, now they are %s: increase Version and add the new models", Version, want, got)
	}
}

// TestVersionMatchesModels fails if model files changed and Version did not increase, because
// stored posts would not be reinferred.
func TestVersionMatchesModels(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"../langid/*.bin", "../sentiment/*.bin", "../people/*.bin", "../interest/*.bin",
		"../vision/*.tsv", "../vision/*.txt", "../vision/net/*.onnx", "../vision/net/*.txt", "../../geo/*.bin", "../../geo/*.tsv*", "../../geo/*.txt",
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
		t.Errorf("the models of version %d have the checksum %s, now it is %s: increase Version and add the new checksum", Version, want, got)
	}
}
