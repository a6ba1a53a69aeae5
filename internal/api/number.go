package api

import "math"

// score rounds to the two decimals that answers carry.
func score(x float64) float64 { return math.Round(x*100) / 100 }
