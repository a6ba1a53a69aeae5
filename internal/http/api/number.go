package api

import "strconv"

// parseInt32 parses the integer of a parameter.
func parseInt32(text []byte) (int32, error) {
	n, err := strconv.ParseInt(string(text), 10, 32)
	return int32(n), err
}
