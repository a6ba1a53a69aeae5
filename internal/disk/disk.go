// Package disk reports the free space of a disk.
package disk

// Free returns the free space, in bytes, of the disk that contains dir. On unsupported systems
// the error is errors.ErrUnsupported.
func Free(dir string) (int64, error) { return free(dir) }
