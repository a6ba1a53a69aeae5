package segment

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
)

// The fingerprint of a time range does not depend on how its posts are distributed over segments.
func TestFingerprintsOfSamePosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	rows := sampleRows(rng, 9000) // more than one chunk
	want := fingerprintsByHour(t, rows)
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	got := make([]Fingerprint, len(want))
	for _, part := range [][]Row{rows[:1], rows[1:1], rows[1:3000], rows[3000:]} {
		for i, p := range fingerprintsByHour(t, part) {
			got[i] = got[i].Add(p)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	distinct := map[Fingerprint]int{}
	for _, p := range want {
		distinct[p]++
	}
	if len(distinct) != 11 || distinct[Fingerprint{}] != 2 {
		t.Errorf("got %d distinct fingerprints, %d of them empty; want those of ten hours and two empty ones", len(distinct), distinct[Fingerprint{}])
	}
}

// fingerprintsByHour writes rows and returns the fingerprints of the ten hours of the sample and of
// the hours before and after.
func fingerprintsByHour(t *testing.T, rows []Row) []Fingerprint {
	t.Helper()
	f := writeSegment(t, rows)
	var cuts []uint32
	for hour := range 13 {
		row, err := f.RowsBefore(sampleStart.Add(time.Duration(hour-1) * time.Hour))
		check(t, err)
		cuts = append(cuts, row)
	}
	prints, err := f.Fingerprints(nil, cuts)
	check(t, err)
	return prints
}

// Adding or removing a post, or changing its journal position, changes the fingerprint.
func TestFingerprintsOfOtherPosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	rows := sampleRows(rng, 300)
	all := roaring.New()
	all.AddRange(0, 300)
	seen := map[Fingerprint]string{}
	see := func(what string, f *Segment, among *roaring.Bitmap) {
		t.Helper()
		prints, err := f.Fingerprints(among, []uint32{0, uint32(f.Rows())})
		check(t, err)
		if before, ok := seen[prints[0]]; ok {
			t.Errorf("%s has the fingerprint of %s", what, before)
		}
		seen[prints[0]] = what
	}
	f := writeSegment(t, rows)
	see("all", f, nil)
	for row := range uint32(len(rows)) {
		all.Remove(row)
		see("all except one", f, all)
		all.Add(row)
		see("a single row", f, roaring.BitmapOf(row))
	}
	rows[7].Arrived++
	see("a row with a new position", writeSegment(t, rows), nil)
	rows[7].Arrived--
	rows[8].Arrived++
	see("another row with a new position", writeSegment(t, rows), nil)
}

func TestFingerprintsOfRowsBetweenBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	f := writeSegment(t, sampleRows(rng, 100))
	some := roaring.BitmapOf(3, 9, 10, 11, 50, 99)
	prints := func(cuts ...uint32) []Fingerprint {
		t.Helper()
		p, err := f.Fingerprints(some, cuts)
		check(t, err)
		return p
	}
	want := prints(9, 11)[0].Add(prints(11, 12)[0])
	got := prints(4, 5, 5, 20, 60)
	if len(got) != 4 || got[0] != (Fingerprint{}) || got[1] != (Fingerprint{}) || got[2] != want || got[3] != prints(50, 51)[0] {
		t.Errorf("got %x, want two empty ones, then %x, then row 50", got, want)
	}
	if got := prints(9); len(got) != 0 {
		t.Errorf("got %x for a single bound", got)
	}
	if _, err := f.Fingerprints(roaring.BitmapOf(100), []uint32{0, 100}); err == nil {
		t.Error("row 100 of 100: got no error")
	}
}

// TestFingerprintsAreStable checks the fingerprint that posts had before there were models, because
// results are stored under it.
func TestFingerprintsAreStable(t *testing.T) {
	rows := make([]Row, 3)
	for i := range rows {
		rows[i] = Row{Arrived: earshot.Position(1000 * i), Post: &earshot.Post{
			Source: earshot.Twitter, GUID: string(rune('a' + i)), Time: time.Unix(int64(i), 0),
		}}
	}
	prints, err := writeSegment(t, rows).Fingerprints(nil, []uint32{0, 3})
	check(t, err)
	if want := (Fingerprint{0xee6076524084470a, 0x09a9db3fac4017e9}); prints[0] != want {
		t.Errorf("got %#x, want %#x", prints[0], want)
	}
}

// TestFingerprintsDependOnModels checks that each model version gives a different fingerprint, and
// that the fingerprint of a post does not depend on the other posts.
func TestFingerprintsDependOnModels(t *testing.T) {
	rows := sampleRows(rand.New(rand.NewPCG(3, 3)), 2)
	seen := map[Fingerprint]uint32{}
	for models := range uint32(200) {
		rows[0].Post.InferredBy = models
		alone := totalFingerprint(t, rows[:1])
		if before, known := seen[alone]; known {
			t.Errorf("models %d and %d have the same fingerprint", models, before)
		}
		seen[alone] = models
		if got, want := totalFingerprint(t, rows), alone.Add(totalFingerprint(t, rows[1:])); got != want {
			t.Errorf("models %d: got %x among others, want %x", models, got, want)
		}
	}
}

func totalFingerprint(t *testing.T, rows []Row) Fingerprint {
	t.Helper()
	prints, err := writeSegment(t, rows).Fingerprints(nil, []uint32{0, uint32(len(rows))})
	check(t, err)
	return prints[0]
}
