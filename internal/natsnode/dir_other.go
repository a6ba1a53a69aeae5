//go:build !(linux || darwin || freebsd)

package natsnode

import (
	"errors"
	"io"
)

// lockDir does nothing: this system has no lock that ends with the process.
func lockDir(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// FreeBytes cannot tell on this system: it returns errors.ErrUnsupported.
func FreeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }
