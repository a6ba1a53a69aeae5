package natsfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"earshot/internal/operate/disk"
)

// exchange puts the built directory in place of the old one, and the old one in place of the built
// one. A crash leaves either both or none exchanged.
func exchange(built, old string) error {
	err := unix.Renameat2(unix.AT_FDCWD, built, unix.AT_FDCWD, old, unix.RENAME_EXCHANGE)
	switch {
	case errors.Is(err, fs.ErrNotExist): // the old directory is missing
		err = os.Rename(built, old)
	case err != nil:
		return exchangeInSteps(built, old)
	}
	if err != nil {
		return err
	}
	return errors.Join(disk.Sync(filepath.Dir(old)), disk.Sync(filepath.Dir(built)))
}
