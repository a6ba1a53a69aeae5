package disk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReserve(t *testing.T) {
	const size = 1 << 20
	path := filepath.Join(t.TempDir(), "reserved")
	for range 2 { // the second time, the file exists
		if err := Reserve(path, size); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Size() != size {
			t.Fatalf("got %v, %v, want a file of %d bytes", info, err, size)
		}
		if taken, ok := info.Sys().(*syscall.Stat_t); ok && taken.Blocks*512 < size {
			t.Errorf("the file takes %d bytes of the disk, want %d", taken.Blocks*512, size)
		}
	}
	if err := Reserve(filepath.Join(t.TempDir(), "missing", "file"), size); err == nil {
		t.Error("missing directory: got no error")
	}
}
