package quantify_test

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"earshot/internal/model/quantify"
	"earshot/internal/test/testenv"
)

// writeLabeled writes posts of several categories with overlapping words.
func writeLabeled(t *testing.T, dir, name string, categories, each int, months []string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(len(name))))
	var b strings.Builder
	b.WriteString("id\tdate\ttarget\tcategory\ttext\n")
	for _, month := range months {
		for i := range categories * each {
			k := i % categories
			target := []string{"abortion", "atheism", "feminist", "hillary"}[i/categories%4]
			fmt.Fprintf(&b, "%d\t%s-01T00:00:00\t%s\tcategory%d\t", i, month, target, k)
			for range 4 {
				n := k*3 + random.IntN(14)
				fmt.Fprintf(&b, "%c%co%c ", 'a'+n/10, 'k'+n%10, 'l'+n%7)
			}
			b.WriteString("\n")
		}
	}
	f, err := os.Create(filepath.Join(dir, name+".tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	z.Write([]byte(b.String()))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFewBags is a small version of TestMeasure, on made-up posts.
func TestFewBags(t *testing.T) {
	testenv.SkipUnderRace(t)
	dir := t.TempDir()
	writeLabeled(t, dir, "banking77_train", 48, 40, []string{""})
	writeLabeled(t, dir, "banking77_dev", 48, 5, []string{""})
	writeLabeled(t, dir, "troll_category_train", 6, 55, []string{"2015-01"})
	writeLabeled(t, dir, "troll_category_dev", 6, 20, []string{"2016-07", "2016-08"})
	writeLabeled(t, dir, "tweeteval_stance_train", 3, 160, []string{""})
	writeLabeled(t, dir, "tweeteval_stance_dev", 3, 40, []string{""})
	got := measure(t, dir, 6, 1)
	if len(got.Mixes) != 8 || len(got.Drift) != len(driftDocuments) || len(got.Drift[0].Months) != 2 {
		t.Fatalf("got %+v", got)
	}
	for _, m := range got.Mixes {
		if len(m.Errors) != len(quantify.Methods) || m.Bags == 0 || m.Accuracy < 0.3 || m.Width <= 0 || m.Worst.Coverage > m.Coverage || m.Errors[0].Ratio != 1 {
			t.Errorf("got %+v", m)
		}
	}
	if banking := got.Mixes[0]; banking.Draws != 1 || banking.Bags != 6 {
		t.Errorf("got %d draws and %d bags", banking.Draws, banking.Bags)
	}
	for i, f := range got.Drift {
		if len(f.Draws) != 1 || f.Draws[0].Coverage != f.Coverage || f.Documents != 6*min(55, cmp.Or(driftDocuments[i], 55)) {
			t.Errorf("got %+v", f)
		}
	}
	if again := measure(t, dir, 6, 1); !reflect.DeepEqual(got, again) {
		t.Error("the same seed returns different results")
	}
}

func TestSummarize(t *testing.T) {
	mean, worst := summarize([]Accuracy{{0.1, 0.05, 0.9, 0.2}, {0.2, 0.22, 1, 0.4}})
	if got, want := fmt.Sprintf("%.3f %.3f", mean, worst), "{0.150 0.135 0.950 0.300} {1.100 0.900}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
