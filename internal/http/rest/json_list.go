package rest

import "math"

// Map applies f to each element. The result is never nil, so it prints as [].
func Map[T, R any](list []T, f func(T) R) []R {
	mapped := make([]R, len(list))
	for i, v := range list {
		mapped[i] = f(v)
	}
	return mapped
}

// OrEmpty makes a nil list print as [].
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Round rounds to the two decimals that most numbers in responses have.
func Round(x float64) float64 { return math.Round(x*100) / 100 }
