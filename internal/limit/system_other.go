//go:build !unix

package limit

// maxFiles returns 0, because the system does not limit file descriptors.
func maxFiles() int { return 0 }
