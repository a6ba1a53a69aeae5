// Package disk reports the free space of a disk, and makes changes to files and directories durable.
package disk

import (
	"crypto/rand"
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

// Reserve creates a file that takes up a number of bytes of the disk, without writing them if the file
// system can do that.
func Reserve(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if allocate(f, size) != nil {
		data := make([]byte, size)
		rand.Read(data) // zeros would take no space on a compressing file system
		_, err = f.Write(data)
	}
	return errors.Join(err, f.Close())
}
