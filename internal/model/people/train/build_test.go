package train

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"earshot/internal/test/testenv"
)

const data = "../../../../../shared/data"

// TestBuild rebuilds the files and compares them with the embedded ones.
func TestBuild(t *testing.T) {
	if _, err := os.Stat(data); err != nil {
		testenv.SkipMissing(t, fmt.Sprintf("no data: %v", err))
	}
	if testing.Short() {
		t.Skip("slow: trains a model")
	}
	files, err := Build(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range files {
		want, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the rebuilt file (%d bytes) differs from the embedded one (%d bytes)", name, len(got), len(want))
		}
	}
	if len(files) != 3 {
		t.Errorf("got %d files, want 3", len(files))
	}
}

func TestBuildWithoutData(t *testing.T) {
	if _, err := Build(t.TempDir()); err == nil {
		t.Error("an empty folder gives no error")
	}
}

func TestDropRare(t *testing.T) {
	with := func(features ...uint32) example {
		var x example
		x.groups[0].features = features
		return x
	}
	const often, twice = 1 << 31, 3 << 29
	list := []example{with(often, often, twice), with(often, 7), with(twice, often)}
	dropRare(list)
	for i, want := range [][]uint32{{1 << 16, 1 << 16}, {1 << 16}, {1 << 16}} {
		got := list[i].groups[0].features
		if len(got) != len(want) || got[0] != want[0] {
			t.Errorf("example %d: got %v, want %v", i, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	var list []*example
	for i := range 200 {
		x := &example{label: label(i % 2), weight: 1}
		x.groups[0] = group{features: []uint32{uint32(i % 2), 2}, scale: 0.5}
		list = append(list, x)
	}
	m := fit(list, func(l label) bool { return l == female })
	if man, woman := m.score(list[0]), m.score(list[1]); man > -1 || woman < 1 {
		t.Errorf("scores %.2f and %.2f", man, woman)
	}
}
