package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckEmpty returns an error unless a directory is empty or does not exist.
func CheckEmpty(dir string) error {
	names, err := os.ReadDir(dir)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case len(names) > 0:
		return fmt.Errorf("the directory %s is not empty", dir)
	}
	return nil
}

// makeEmptyDir creates a directory unless it exists, and fails if it is not empty. It reports
// whether it created the directory.
func makeEmptyDir(dir string) (created bool, err error) {
	if err := CheckEmpty(dir); err != nil {
		return false, err
	}
	_, err = os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist), os.MkdirAll(dir, 0o700)
}

// removeUnpacked removes the contents of a directory, and the directory itself if Unpack created
// it. It ignores errors, because the remains are not a valid backup.
func removeUnpacked(dir string, created bool) {
	if created {
		os.RemoveAll(dir)
		return
	}
	_ = clearDir(dir, "")
}

// clearDir removes everything in a directory except one name.
func clearDir(dir, except string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if n.Name() == except {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, n.Name())); err != nil {
			return err
		}
	}
	return nil
}

// syncTree syncs all directories. The files are already synced.
func syncTree(root *os.Root) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(root, name)
	})
}

func syncDir(root *os.Root, name string) error {
	d, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
