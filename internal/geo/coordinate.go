package geo

import (
	"math"
	"strconv"

	"earshot"
)

// findPoint returns the first position in text: two numbers with decimal fractions,
// like 40.71,-74.00, as programs write them behind their name or a pin.
func findPoint(text string) (earshot.Point, bool) {
	for i := 0; i < len(text); i++ {
		if !startsNumber(text, i) {
			continue
		}
		latitude, n := parseDecimal(text[i:], 'N', 'S')
		if n == 0 {
			i += skipNumber(text[i:])
			continue
		}
		rest := i + n
		for rest < len(text) && (text[rest] == ',' || text[rest] == ' ' || text[rest] == ';') {
			rest++
		}
		longitude, m := parseDecimal(text[rest:], 'E', 'W')
		if rest > i+n && m > 0 && math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180 {
			return earshot.Point{Latitude: latitude, Longitude: longitude}, true
		}
		i += n - 1
	}
	return earshot.Point{}, false
}

func startsNumber(text string, i int) bool {
	return text[i] >= '0' && text[i] <= '9' || (text[i] == '-' || text[i] == '+') && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9'
}

// skipNumber returns the length of the digits and dots that text begins with, less one.
func skipNumber(text string) int {
	n := 1
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
		n++
	}
	return n - 1
}

// parseDecimal reads a number with a fraction that text begins with, a degree sign and
// the letter of a direction, and returns its length; 0 when there is none.
func parseDecimal(text string, positive, negative byte) (value float64, length int) {
	n, dots := 0, 0
	if n < len(text) && (text[n] == '-' || text[n] == '+') {
		n++
	}
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
		if text[n] == '.' {
			dots++
		}
		n++
	}
	if dots != 1 || n > 20 || text[n-1] == '.' {
		return 0, 0
	}
	value, err := strconv.ParseFloat(text[:n], 64)
	if err != nil {
		return 0, 0
	}
	const sign = "°"
	if len(text) >= n+len(sign) && text[n:n+len(sign)] == sign {
		n += len(sign)
	}
	for n+1 < len(text) && text[n] == ' ' && (text[n+1] == positive || text[n+1] == negative) {
		n++
	}
	if n < len(text) && (text[n] == positive || text[n] == negative) {
		if text[n] == negative {
			value = -value
		}
		n++
	}
	return value, n
}
