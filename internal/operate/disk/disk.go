// Package disk reports the free space of a disk, and makes changes to files and directories durable.
package disk

import (
	"errors"
	"os"
	"path/filepath"
)

// Free returns the free space, in bytes, on the disk that contains dir. On unsupported systems it
// returns [errors.ErrUnsupported].
func Free(dir string) (int64, error) { return free(dir) }

// Replace writes a file completely or not at all, even across a crash. Only one process may do so.
func Replace(path string, data []byte) error {
	temp := path + ".tmp"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// Sync makes a file durable, or the names in a directory.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
