//go:build !race

package sentiment

const raced = false
