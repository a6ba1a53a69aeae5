package bench

import (
	"bytes"
	"image"
	"testing"

	visionnet "earshot/internal/model/vision/net"
	"earshot/internal/test/testenv"
)

func TestImagesCost(t *testing.T) {
	testenv.SkipUnderRace(t)
	report, err := imagesCosts.Run(t.Context(), Options{Count: 200, Seed: 1, sample: smallGenerator(t, 1).Sample})
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
}

func TestGeneratedPictures(t *testing.T) {
	a, err := generatePictures(1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := generatePictures(1)
	if err != nil || len(a) != 8 || string(a[3]) != string(b[3]) || string(a[0]) == string(a[1]) {
		t.Errorf("got %d pictures, %v, want 8 different ones, the same for the same seed", len(a), err)
	}
	for i, f := range a {
		img, _, err := image.Decode(bytes.NewReader(f))
		if err != nil {
			t.Fatal(err)
		}
		if visionnet.IsGraphic(img) {
			t.Errorf("picture %d is not classified, because it does not look like a photograph", i)
		}
	}
	if !visionnet.IsGraphic(image.NewGray(image.Rect(0, 0, 400, 300))) {
		t.Error("an empty picture looks like a photograph")
	}
}
