package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckEmpty returns an error unless a directory is empty or absent.
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

// makeEmptyDir makes a directory unless it is there, and fails when something is in
// it. made tells whether it made it.
func makeEmptyDir(dir string) (made bool, err error) {
	if err := CheckEmpty(dir); err != nil {
		return false, err
	}
	_, err = os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist), os.MkdirAll(dir, 0o700)
}

// removeUnpacked removes what is in a directory, and the directory itself if it was made
// for that. What cannot be removed stays; it is not mistaken for a backup.
func removeUnpacked(dir string, made bool) {
	if made {
		os.RemoveAll(dir)
		return
	}
	_ = clearDir(dir, "")
}

// clearDir removes everything in a directory but one name.
func clearDir(dir, keep string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if n.Name() == keep {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, n.Name())); err != nil {
			return err
		}
	}
	return nil
}

// syncTree makes the names of all files last; the files are synced already.
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
