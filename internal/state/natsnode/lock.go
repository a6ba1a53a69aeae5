package natsnode

import (
	"errors"
	"io"
)

// ErrInUse means that another process is using a directory.
var ErrInUse = errors.New("the directory is in use by another process")

// Lock prevents embedded servers from using a directory until the lock is closed. It fails with
// [ErrInUse] if one is running there.
func Lock(dir string) (io.Closer, error) { return lockDir(dir) }
