//go:build race

package opinion

// raced says that the race detector runs, under which pools forget on purpose and
// measuring takes long.
const raced = true
