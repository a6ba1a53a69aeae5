// Package disk reports the free space of a disk, and makes changes to directories durable.
package disk

import (
	"errors"
	"os"
)

// Free returns the free space, in bytes, on the disk that contains dir. On unsupported systems it
// returns [errors.ErrUnsupported].
func Free(dir string) (int64, error) { return free(dir) }

// Sync makes a file durable, or the names in a directory.
func Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
