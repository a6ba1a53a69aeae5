package disk

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestFree(t *testing.T) {
	dir := t.TempDir()
	free, err := Free(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell")
	}
	if err != nil || free <= 0 {
		t.Errorf("got %d, %v, want some bytes", free, err)
	}
	if _, err := Free(filepath.Join(dir, "missing")); err == nil {
		t.Error("a directory that is not there: got no error")
	}
}
