// Package disk tells how much room is left.
package disk

// Free returns how much may still be written to the disk that holds dir. On systems
// where nobody can tell, the error is errors.ErrUnsupported.
func Free(dir string) (int64, error) { return free(dir) }
