// Package disk reports the free space of a disk.
package disk

// Free returns the free space, in bytes, on the disk that contains dir. On unsupported systems it
// returns [errors.ErrUnsupported].
func Free(dir string) (int64, error) { return free(dir) }
