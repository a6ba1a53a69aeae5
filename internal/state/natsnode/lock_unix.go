//go:build linux || darwin || freebsd

package natsnode

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir prevents other processes from using dir until the lock is closed. The lock ends with the
// process, so a crash leaves no stale lock.
func lockDir(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrInUse
		}
		return nil, err
	}
	return f, nil
}
