package insight

import (
	"math"
	"testing"
)

func TestLogOdds(t *testing.T) {
	f := func(y, n, y0, n0, want float64) {
		t.Helper()
		if got := logOdds(y, n, y0, n0); math.Abs(got-want) > 0.01 {
			t.Errorf("%v of %v, %v of %v: got %.2f, want %.2f", y, n, y0, n0, got, want)
		}
	}
	f(0, 100, 0, 100, 0)
	f(10, 100, 10, 100, 0)
	f(10, 0, 10, 100, 0)
	// prior 50, a = 50*45/250 = 9: ln(54/46) - ln(9/241), variance 1/54+1/46+1/9+1/241
	f(45, 50, 0, 200, 8.75)
	f(0, 200, 45, 50, -8.75)
	f(40, 40, 10, 10, 0) // all posts have it
	// prior 20, a = 0.13: ln(12.13/27.87) - ln(0.5/3019.87), variance 1/12.13+1/27.87+1/0.5+1/3019.87
	f(12, 20, 0, 3000, 5.40)
	if a, b := logOdds(45, 50, 0, 200), logOdds(4, 50, 0, 200); a <= b || b <= 0 {
		t.Errorf("got %.2f for 45 posts and %.2f for 4, want more for more posts", a, b)
	}
}
