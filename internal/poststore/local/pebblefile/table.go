package pebblefile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// VerifyTable reads a table and compares every block with its checksum. It returns a *DamageError if
// the table is damaged.
func VerifyTable(path string) error {
	r, err := openTable(path)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := guard(path, r.ValidateBlockChecksums); err != nil {
		return &DamageError{path, err.Error()}
	}
	return nil
}

// Tables returns the paths of the tables that the database uses.
func Tables(dir string) ([]string, error) {
	m, err := readManifest(dir)
	if err != nil || m == nil {
		return nil, err
	}
	var paths []string
	for n := range m.tables {
		paths = append(paths, TablePath(dir, n))
	}
	return paths, nil
}

// TablePath returns the path of a table.
func TablePath(dir string, number uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%06d.sst", number))
}

func openTable(path string) (r *sstable.Reader, err error) {
	f, err := vfs.Default.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &DamageError{path, "it is missing"}
	}
	if err != nil {
		return nil, err
	}
	in, err := sstable.NewSimpleReadable(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	err = guard(path, func() error {
		r, err = sstable.NewReader(context.Background(), in, sstable.ReaderOptions{})
		return err
	})
	if err != nil {
		in.Close()
		return nil, &DamageError{path, err.Error()}
	}
	return r, nil
}

// guard calls f and turns a panic into an error: some of Pebble's decoders panic if they read
// malformed bytes.
func guard(path string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s cannot be decoded: %v", path, r)
		}
	}()
	return f()
}
