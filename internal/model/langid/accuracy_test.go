package langid

import (
	"bufio"
	"compress/gzip"
	"os"
	"slices"
	"strings"
	"testing"
)

// The figures of docs/models/language.md hold, a little less for the next model.
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
	for kind, want := range map[string]float64{"sentence": 0.98, "wordpair": 0.94, "other sentence": 0.94, "other wordpair": 0.88} {
		got := float64(right[kind]) / float64(all[kind])
		t.Logf("%s: %d of %d, %.4f", kind, right[kind], all[kind], got)
		if !(got >= want) {
			t.Errorf("%s: %.4f are right, want %.2f", kind, got, want)
		}
	}
}

// Of all answers that are given with a confidence, as many are right.
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
		t.Errorf("confidence is off by %.3f in the mean, want 0.03 at most", got)
	} else {
		t.Logf("confidence is off by %.4f in the mean", got)
	}
}

func eachDevText(t *testing.T, f func(language, kind, text string)) {
	t.Helper()
	file, err := os.Open("../../../../shared/data/langid/langid_dev.tsv.gz")
	if err != nil {
		t.Skip("the texts to measure with are not here: ", err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	lines.Scan() // names of columns
	for lines.Scan() {
		row := strings.Split(lines.Text(), "\t")
		f(row[0], row[1], row[3])
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
