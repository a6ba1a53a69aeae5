package query

import (
	"math"
	"strconv"
	"strings"
)

// parseNumber reads a decimal number.
func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.+-") != "" {
		return 0, false // neither 0x10 nor NaN
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// parseBound reads a bound of a range; * is none, on the side that sign says.
func parseBound(text string, sign int) (float64, bool) {
	if text == "*" {
		return math.Inf(sign), true
	}
	return parseNumber(text)
}

// appendNumber is the reverse of parseBound.
func appendNumber(b []byte, n float64) []byte {
	if math.IsInf(n, 0) {
		return append(b, '*')
	}
	return strconv.AppendFloat(b, n, 'f', -1, 64)
}
