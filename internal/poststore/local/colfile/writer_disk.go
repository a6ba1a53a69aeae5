package colfile

import (
	"io"
	"os"
	"path/filepath"
)

// A disk is the part of the file system that a Writer uses. Tests substitute one that fails.
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

// osDisk is the file system of the operating system.
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

// Build writes a file in memory and opens it. write adds the sections. Error messages show name in
// place of a path.
func Build(name string, opts Options, write func(w *Writer) error) (*File, error) {
	m := new(memoryDisk)
	w, err := create(m, name, opts)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return newFile(name, m.data, func() error { return nil })
}

// memoryDisk is a disk with a single file in memory.
type memoryDisk struct{ data []byte }

func (m *memoryDisk) exists(string) (bool, error)     { return false, nil }
func (m *memoryDisk) create(string) (diskFile, error) { return m, nil }
func (m *memoryDisk) rename(string, string) error     { return nil }
func (m *memoryDisk) remove(string) error             { return nil }
func (m *memoryDisk) syncDir(string) error            { return nil }

func (m *memoryDisk) Write(p []byte) (int, error) {
	m.data = append(m.data, p...)
	return len(p), nil
}

func (m *memoryDisk) Sync() error  { return nil }
func (m *memoryDisk) Close() error { return nil }
