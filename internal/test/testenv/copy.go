package testenv

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// CopyRunning returns a copy of a directory that a running server writes to: what a crash at this
// moment would leave. If files change during the copy, CopyRunning starts over, because no crash
// leaves a mix of two states. The copy has no lock file.
func CopyRunning(t testing.TB, dir string) string {
	t.Helper()
	for range 1000 {
		before, err := stamps(dir)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "copy")
		err = os.CopyFS(copied, os.DirFS(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		after, err2 := stamps(dir)
		if err2 != nil {
			t.Fatal(err2)
		}
		if err == nil && maps.Equal(before, after) {
			os.Remove(filepath.Join(copied, "lock"))
			return copied
		}
		os.RemoveAll(copied)
	}
	t.Fatalf("%s does not stop changing", dir)
	return ""
}

// stamps returns the size and the modification time of each file.
func stamps(dir string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ignoreMissing(err)
		}
		info, err := d.Info()
		if err == nil {
			all[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		return ignoreMissing(err)
	})
	return all, err
}

// ignoreMissing ignores that a file was removed.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
