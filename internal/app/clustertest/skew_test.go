package clustertest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"earshot/internal/test/testenv"
)

// TestSkewedClock checks that the clock of a program of buildSkewed is wrong.
func TestSkewedClock(t *testing.T) {
	testenv.SkipUnlessLong(t) // it compiles everything again
	c := newCluster(t, buildSkewed(t), 1)
	n := c.nodes[0]
	for _, skew := range []time.Duration{0, -time.Hour, 24 * time.Hour} {
		c.kill(n)
		n.skew = skew
		c.restart(n)
		a, err := c.call(n, "GET", "/healthz", "")
		if err != nil {
			t.Fatal(err)
		}
		date, err := http.ParseTime(a.header.Get("Date"))
		if err != nil {
			t.Fatal(err)
		}
		if off := time.Until(date) - skew; off.Abs() > time.Minute {
			t.Errorf("with a skew of %v, the clock is %v off", skew, fmt.Sprint(off+skew))
		}
	}
}
