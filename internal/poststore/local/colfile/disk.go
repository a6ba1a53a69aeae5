package colfile

import (
	"io"
	"os"
	"path/filepath"
)

// A disk is what a Writer needs of the file system. Tests have one that fails.
type disk interface {
	exists(path string) (bool, error)
	create(path string) (diskFile, error)
	rename(from, to string) error
	remove(path string) error
	syncDir(path string) error
}

type diskFile interface {
	io.Writer
	Sync() error
	Close() error
}

// osDisk is the file system of the machine.
type osDisk struct{}

func (osDisk) exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

func (osDisk) create(path string) (diskFile, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o640)
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) remove(path string) error     { return os.Remove(path) }

// syncDir makes the names in path's directory durable.
func (osDisk) syncDir(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
