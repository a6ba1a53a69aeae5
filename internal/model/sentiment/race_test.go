//go:build race

package sentiment

// raced says that the race detector runs, under which pools forget on purpose.
const raced = true
