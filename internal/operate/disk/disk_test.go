package disk

import (
	"errors"
	"path/filepath"
	"testing"

	"earshot/internal/test/testenv"
)

func TestFree(t *testing.T) {
	dir := t.TempDir()
	free, err := Free(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		testenv.SkipMissing(t, "free disk space is not available on this system")
	}
	if err != nil || free <= 0 {
		t.Errorf("got %d, %v, want some bytes", free, err)
	}
	if _, err := Free(filepath.Join(dir, "missing")); err == nil {
		t.Error("missing directory: got no error")
	}
}
