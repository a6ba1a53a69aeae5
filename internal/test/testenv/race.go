//go:build race

package testenv

// Race reports whether the race detector is enabled.
const Race = true
