//go:build unix

package folder_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesDoNotBlock(t *testing.T) {
	w := newWorld(t, nil)
	if err := syscall.Mkfifo(filepath.Join(w.dir, "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("a.jsonl", post("a", "x"))
	w.settle()
	if fmt.Sprint(w.posts) != "map[a:x]" {
		t.Errorf("got %v", w.posts)
	}
}
