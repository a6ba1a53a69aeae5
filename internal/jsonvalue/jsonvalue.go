// Package jsonvalue has what types need that are encoded as JSON: lists that are [] rather than null,
// rounded numbers, and the text of strings and numbers for types that encode themselves.
package jsonvalue

import "math"

// Map applies f to each element. The result is never nil, so it encodes as [].
func Map[T, R any](list []T, f func(T) R) []R {
	mapped := make([]R, len(list))
	for i, v := range list {
		mapped[i] = f(v)
	}
	return mapped
}

// OrEmpty returns list, or an empty list that encodes as [] if list is nil.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Round rounds to two decimal places, the precision of most numbers in responses.
func Round(x float64) float64 { return math.Round(x*100) / 100 }

// Round4 rounds to four decimal places.
func Round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Round1 rounds to one decimal place.
func Round1(x float64) float64 { return math.Round(x*10) / 10 }

// Optional returns nil instead of the zero value.
func Optional[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}
