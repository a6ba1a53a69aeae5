package disk

import (
	"os"
	"syscall"
)

func allocate(f *os.File, size int64) error { return syscall.Fallocate(int(f.Fd()), 0, 0, size) }
