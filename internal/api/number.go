package api

import (
	"math"
	"strconv"
)

// score rounds to the two decimals that answers carry.
func score(x float64) float64 { return math.Round(x*100) / 100 }

// parseInt32 reads a whole number of a parameter.
func parseInt32(text []byte) (int32, error) {
	n, err := strconv.ParseInt(string(text), 10, 32)
	return int32(n), err
}
