package people

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"

	"earshot/internal/test/testenv"
)

// TestDevProfiles measures gender on labeled profiles that were not used for training.
func TestDevProfiles(t *testing.T) {
	const path = "../../../../shared/data/names/twitter_user_gender_dev.tsv.gz"
	file, err := os.Open(path)
	if err != nil {
		testenv.SkipMissing(t, fmt.Sprintf("no labeled profiles: %v", err))
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(t)
	var persons, predicted, right, brands, gendered float64
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		g, _ := m.Gender(Profile{Username: fields[1], Bio: fields[2], Text: fields[3]})
		switch {
		case fields[0] == "brand":
			brands++
			if g != "" {
				gendered++
			}
		case fields[0] == "M" || fields[0] == "F":
			persons++
			if g != "" {
				predicted++
			}
			if string(g) == fields[0] {
				right++
			}
		}
	}
	t.Logf("coverage %.4f, accuracy %.4f, brands with a gender %.4f", predicted/persons, right/predicted, gendered/brands)
	if predicted < 0.54*persons || right < 0.9*predicted || gendered > 0.16*brands {
		t.Errorf("%v persons, %v predicted, %v right; %v brands, %v with a gender", persons, predicted, right, brands, gendered)
	}
}
