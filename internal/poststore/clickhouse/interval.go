package clickhouse

import (
	"slices"
	"time"

	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// intervals are consecutive intervals of time. A post in interval d has the number d. Intervals may
// be empty; they contain no posts.
type intervals struct {
	starts []time.Time // ascending; the last one is the end
}

func (v intervals) len() int { return max(len(v.starts)-1, 0) }

// limit restricts a selection to the intervals.
func (v intervals) limit(of *poststore.Selection) {
	of.From, of.To = v.starts[0], v.starts[v.len()]
}

// number returns an expression for the number of the interval of a post, which must be in one.
func (v intervals) number(a *chhttp.Args) string {
	var secs, nanos, numbers []int64
	exact := true // whether all intervals begin with a second
	for d := range v.len() {
		if v.starts[d].Equal(v.starts[d+1]) {
			continue
		}
		secs, nanos = append(secs, v.starts[d].Unix()), append(nanos, int64(v.starts[d].Nanosecond()))
		numbers = append(numbers, int64(d))
		exact = exact && v.starts[d].Nanosecond() == 0
	}
	switch {
	case len(secs) == 0:
		return "toInt64(0)" // there are no posts
	case len(secs) == 1:
		return "toInt64(" + a.Int(numbers[0]) + ")"
	case exact && isEven(secs) && isEven(numbers):
		// The usual case: days of the same length.
		step := secs[1] - secs[0]
		return "(" + a.Int(numbers[0]) + " + intDiv(sec - " + a.Int(secs[0]) + ", " + a.Int(step) + ") * " + a.Int(numbers[1]-numbers[0]) + ")"
	case exact:
		return "transform(roundDown(sec, " + a.Ints(secs) + "), " + a.Ints(secs) + ", " + a.Ints(numbers) + ")"
	}
	begun := "arrayCount((x, y) -> sec > x OR sec = x AND nanos >= y, " + a.Ints(secs) + ", " + a.Ints(nanos) + ")"
	return a.Ints(numbers) + "[" + begun + "]"
}

// isEven reports whether numbers have equal distances.
func isEven(n []int64) bool {
	for i := 2; i < len(n); i++ {
		if n[i]-n[i-1] != n[1]-n[0] {
			return false
		}
	}
	return true
}

// find returns the number of the interval that contains t, which must be in one.
func (v intervals) find(t time.Time) int {
	// The last interval that does not begin after t; those before it may be empty.
	n, _ := slices.BinarySearchFunc(v.starts, t, func(start, t time.Time) int {
		if start.After(t) {
			return 1
		}
		return -1
	})
	return n - 1
}
