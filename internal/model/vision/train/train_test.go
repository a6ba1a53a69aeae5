package train

import (
	"bytes"
	"os"
	"testing"

	"earshot/internal/test/testenv"
)

const data = "../../../../../shared/data"

func TestBuildMatchesEmbeddedFiles(t *testing.T) {
	if _, err := os.Stat(data); err != nil {
		testenv.SkipMissing(t, "no shared data")
	}
	files, err := Build(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range files {
		want, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run make models", name)
		}
	}
}

func TestBuildWithoutDataFails(t *testing.T) {
	if files, err := Build(t.TempDir()); err == nil {
		t.Errorf("got %d files, want an error", len(files))
	}
}
