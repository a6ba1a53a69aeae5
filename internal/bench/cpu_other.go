//go:build !unix

package bench

import "time"

// cpuTime returns the CPU time that the process has used, or 0 if it is unknown.
func cpuTime() time.Duration { return 0 }
