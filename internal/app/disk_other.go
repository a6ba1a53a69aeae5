//go:build !unix

package app

// freeBytes returns the room left on the disk that holds dir, -1 when unknown.
func freeBytes(string) int64 { return -1 }
