package langid

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"earshot/internal/model/dataset"
	"earshot/internal/test/testenv"
)

// TestDevTexts checks accuracy on the dev set. The thresholds are slightly below the results in
// docs/models/language.md, which leaves room for the next model.
func TestDevTexts(t *testing.T) {
	right, all := map[string]int{}, map[string]int{}
	m := model(t)
	eachDevText(t, func(language, kind, text string) {
		if !slices.Contains(Codes(), language) {
			language, kind = "", "other "+kind
		}
		all[kind]++
		if code, _ := m.Detect(text); code == language {
			right[kind]++
		}
	})
	for kind, want := range map[string]float64{"sentence": 0.983, "wordpair": 0.95, "other sentence": 0.97, "other wordpair": 0.94} {
		got := float64(right[kind]) / float64(all[kind])
		t.Logf("%s: %d of %d, %.4f", kind, right[kind], all[kind], got)
		if !(got >= want) {
			t.Errorf("%s: accuracy is %.4f, want at least %.3f", kind, got, want)
		}
	}
}

// TestDevConfidence checks that confidence matches accuracy.
func TestDevConfidence(t *testing.T) {
	var sum, right, n [10]float64
	m := model(t)
	eachDevText(t, func(language, _, text string) {
		code, confidence := m.Detect(text)
		if code == "" {
			return
		}
		bin := min(int(confidence*10), 9)
		n[bin]++
		sum[bin] += float64(confidence)
		if code == language {
			right[bin]++
		}
	})
	wrong, all := 0.0, 0.0
	for bin := range n {
		wrong += max(sum[bin]-right[bin], right[bin]-sum[bin])
		all += n[bin]
	}
	if got := wrong / all; got > 0.03 {
		t.Errorf("calibration error is %.3f, want at most 0.03", got)
	} else {
		t.Logf("calibration error is %.4f", got)
	}
}

func eachDevText(t *testing.T, f func(language, kind, text string)) {
	t.Helper()
	n := 0
	for row, err := range dataset.Fields("../../../../shared/data/langid/langid_dev.tsv.gz") {
		if errors.Is(err, fs.ErrNotExist) {
			testenv.SkipMissing(t, fmt.Sprint("no dev set: ", err))
		}
		if err != nil {
			t.Fatal(err)
		}
		if n++; n > 1 { // the first row is the header
			f(row[0], row[1], row[3])
		}
	}
}
