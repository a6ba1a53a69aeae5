//go:build unix

package app

import "syscall"

// freeBytes returns the room left on the disk that holds dir, -1 when unknown.
func freeBytes(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
