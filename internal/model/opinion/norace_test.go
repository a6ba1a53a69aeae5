//go:build !race

package opinion

const raced = false
