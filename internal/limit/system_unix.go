//go:build unix

package limit

import (
	"math"
	"syscall"
)

// maxFiles returns how many file descriptors the process may open, or 0 if it is unknown.
func maxFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
