package bench

import (
	"testing"

	"earshot/internal/testenv"
)

func TestImagesCost(t *testing.T) {
	testenv.SkipUnderRace(t)
	report, err := find(t, "images-cost").Run(t.Context(), Options{Count: 200, Seed: 1, Serve: serve, sample: smallGenerator(t, 1).Sample})
	if err != nil {
		t.Fatal(err)
	}
	got := report.Result.(*ImagesCostResult)
	if got.Rounds != 1 || got.Without.PerSecond <= 0 || got.With.PerSecond <= 0 || got.Ratio != got.With.PerSecond/got.Without.PerSecond || got.Alone <= 0 {
		t.Errorf("got %+v", got)
	}
	if l := got.Latency; l.Pictures != 2 || l.P50 <= 0 || l.P50 > l.P99 || l.P99 > l.Max {
		t.Errorf("got %+v", l)
	}
	if _, err := find(t, "images-cost").Run(t.Context(), Options{Count: 200, sample: smallGenerator(t, 1).Sample}); err == nil {
		t.Error("a run without a server succeeded")
	}
}
