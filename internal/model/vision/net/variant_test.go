package net

import (
	"image"
	"slices"
	"strings"
	"testing"

	"earshot/internal/model/vision/synth"
	"earshot/internal/test/testenv"
)

// photoLabels is what the test pictures show. The classes before the bar are assigned to the
// original and to most variants; the others are right, too.
var photoLabels = map[string]string{
	"dog.jpg":       "| dog bicycle car truck husky",
	"eagle.jpg":     "bird | eagle animal",
	"giraffe.jpg":   "giraffe | zebra animal",
	"horses.jpg":    "animal | horse",
	"person.jpg":    "person dog | horse animal",
	"coffee.png":    "cup coffee | spoon dining_table food",
	"chelsea.png":   "cat | animal",
	"astronaut.png": "person |",
}

// A tally counts what is assigned to pictures.
type tally struct{ assigned, right, expected, found int }

// add classifies a variant of photographs and counts its classes. It returns those that the
// photographs do not show, and the expected ones that are missing.
func (c *tally) add(t *testing.T, n *Networks, img image.Image, photos ...string) (wrong, missing []string) {
	t.Helper()
	seen, err := n.Classify(img)
	if err != nil {
		t.Fatal(err)
	}
	var expected, shown []string
	for _, name := range photos {
		before, after, _ := strings.Cut(photoLabels[name], "|")
		expected, shown = append(expected, strings.Fields(before)...), append(shown, strings.Fields(before+after)...)
	}
	var assigned []string
	for _, s := range seen {
		name := strings.ReplaceAll(s.Class.Name, " ", "_")
		assigned = append(assigned, name)
		if !slices.Contains(shown, name) {
			wrong = append(wrong, name)
		}
	}
	for _, name := range expected {
		if !slices.Contains(assigned, name) {
			missing = append(missing, name)
		}
	}
	c.assigned, c.right = c.assigned+len(assigned), c.right+len(assigned)-len(wrong)
	c.expected, c.found = c.expected+len(expected), c.found+len(expected)-len(missing)
	return wrong, missing
}

// some selects every nth of what a test looks at, so that it takes seconds instead of minutes. With
// -long it selects all.
func some(i, n int) bool { return testenv.Long() || i%n == 0 }

// TestVariants checks what is assigned to the test pictures, to some of their variants and to collages
// of two: nothing that they do not show, and most of what the originals are assigned.
func TestVariants(t *testing.T) {
	testenv.SkipUnderRace(t)
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	var originals, variants, collages tally
	for i, name := range photoNames {
		img := load(t, name)
		if wrong, missing := originals.add(t, n, img, name); len(wrong)+len(missing) > 0 {
			t.Errorf("%s: %v are wrong, %v are missing", name, wrong, missing)
		}
		k := i
		for v := range synth.Variants(img) {
			if k++; !some(k, 4) {
				continue
			}
			if wrong, _ := variants.add(t, n, v.Image, name); len(wrong) > 0 {
				t.Errorf("%s, %s: %v are wrong", name, v.Name, wrong)
			}
		}
		if !some(i, 3) {
			continue
		}
		other := photoNames[(i+3)%len(photoNames)]
		for _, v := range synth.Collages(img, load(t, other)) {
			if wrong, _ := collages.add(t, n, v.Image, name, other); len(wrong) > 0 {
				t.Errorf("%s and %s, %s: %v are wrong", name, other, v.Name, wrong)
			}
		}
	}
	t.Logf("originals %+v, variants %+v, collages %+v", originals, variants, collages)
	if float64(variants.found) < 0.8*float64(variants.expected) {
		t.Errorf("variants: got %d of %d expected classes, want 80%%", variants.found, variants.expected)
	}
	if float64(collages.found) < 0.3*float64(collages.expected) {
		t.Errorf("collages: got %d of %d expected classes, want 30%%", collages.found, collages.expected)
	}
}

// TestNonPhotos checks that less than 1% of the images that are not photographs get a class.
func TestNonPhotos(t *testing.T) {
	testenv.SkipUnderRace(t)
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	images, assigned, media := 0, 0, map[medium]int{}
	perKind := 4
	if testenv.Long() {
		perKind = synth.PerKind
	}
	for p := range synth.NonPhotos(perKind) {
		seen, err := n.Classify(p.Image)
		if err != nil {
			t.Fatal(err)
		}
		images++
		media[mediumOf(p.Image)]++
		if len(seen) > 0 {
			assigned++
			t.Logf("%s: %v", p, seen)
		}
	}
	t.Logf("%d of %d images have a class; %d count as graphics", assigned, images, media[graphic])
	if assigned*100 >= max(images, 101) {
		t.Errorf("%d of %d images have a class, want less than 1%%", assigned, images)
	}
	if media[graphic] < images/2 {
		t.Errorf("%d of %d images count as graphics, want at least half", media[graphic], images)
	}
}
