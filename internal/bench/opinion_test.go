package bench

import (
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"earshot/internal/model/quantify"
	"earshot/internal/testenv"
)

// writeLabeled writes posts of several categories with overlapping words.
func writeLabeled(t *testing.T, dir, name string, categories, each int, months []string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(len(name))))
	var b strings.Builder
	b.WriteString("id\tdate\tcategory\ttext\n")
	for _, month := range months {
		for i := range categories * each {
			k := i % categories
			fmt.Fprintf(&b, "%d\t%s-01T00:00:00\tcategory%d\t", i, month, k)
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

func TestOpinion(t *testing.T) {
	testenv.SkipUnderRace(t)
	dir := t.TempDir()
	writeLabeled(t, dir, "banking77_train", 7, 50, []string{""})
	writeLabeled(t, dir, "banking77_dev", 7, 10, []string{""})
	writeLabeled(t, dir, "troll_category_train", 6, 60, []string{"2015-01"})
	writeLabeled(t, dir, "troll_category_dev", 6, 20, []string{"2016-07", "2016-08"})
	run := func() OpinionResult {
		r, err := find(t, "opinion").Run(t.Context(), Options{Data: dir, Count: 21, CPUs: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r.Result.(OpinionResult)
	}
	got := run()
	if len(got.Mixes) != 2 || len(got.Drift) != 2 || len(got.Drift[0].Months) != 2 {
		t.Fatalf("got %+v", got)
	}
	for _, m := range got.Mixes {
		if len(m.Errors) != len(quantify.Methods) || m.Bags < 21 || m.Accuracy < 0.5 || m.Coverage < 0.5 || m.Errors[0].Ratio != 1 {
			t.Errorf("got %+v", m)
		}
	}
	if banking := got.Mixes[0]; banking.Draws != 2 || banking.Bags != 40 {
		t.Errorf("got %d draws and %d bags", banking.Draws, banking.Bags)
	}
	if again := run(); !reflect.DeepEqual(got, again) {
		t.Error("the same seed returns different results")
	}
}

func TestOpinionWithoutData(t *testing.T) {
	_, err := find(t, "opinion").Run(t.Context(), Options{Data: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "banking77_train.tsv.gz") {
		t.Errorf("got %v", err)
	}
}
