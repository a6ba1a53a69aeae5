package segment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/test/testenv"
)

func TestFind(t *testing.T) {
	testenv.SkipUnderRace(t)
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := sampleRows(rng, 1+rng.IntN(1500))
		if seed%3 == 0 { // a long run of the same second
			for i := range rows {
				rows[i].Post.Time = sampleStart.Add(time.Duration(rng.IntN(1e9)))
			}
		}
		f := writeSegment(t, rows)
		slices.SortFunc(rows, func(a, b Row) int { return earshot.ComparePosts(b.Post, a.Post) })
		var sought []Target
		var want []uint32
		for range rng.IntN(300) {
			row := rng.IntN(len(rows))
			p := rows[row].Post
			s := Target{KeyOf(p.Key()), Seconds(p.Time)}
			switch rng.IntN(6) {
			case 0: // wrong time
				s.Seconds += uint64(rng.IntN(3)) - 1
			case 1: // unknown post
				s.Key[rng.IntN(len(s.Key))] ^= 1
			}
			sought = append(sought, s)
			want = append(want, rowOf(rows, s))
		}
		got, err := f.Find(sought)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func rowOf(rows []Row, s Target) uint32 {
	for i, r := range rows {
		if KeyOf(r.Post.Key()) == s.Key && Seconds(r.Post.Time) == s.Seconds {
			return uint32(i)
		}
	}
	return NoRow
}

func TestFindInEmptySegment(t *testing.T) {
	got, err := writeSegment(t, nil).Find([]Target{{Seconds: 1}, {}})
	if want := []uint32{NoRow, NoRow}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestKeys(t *testing.T) {
	rows := sampleRows(rand.New(rand.NewPCG(1, 1)), 100)
	f := writeSegment(t, rows)
	slices.SortFunc(rows, func(a, b Row) int { return earshot.ComparePosts(b.Post, a.Post) })
	tests := []struct {
		name string
		of   *roaring.Bitmap
		want []Row
	}{
		{"all rows", nil, rows},
		{"no rows", roaring.New(), nil},
		{"some rows", roaring.BitmapOf(0, 7, 99), []Row{rows[0], rows[7], rows[99]}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			keys, err := f.Keys(tt.of)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for key, seconds := range keys {
				got = append(got, fmt.Sprintf("%x %d", key, seconds))
			}
			for _, r := range tt.want {
				want = append(want, fmt.Sprintf("%x %d", KeyOf(r.Post.Key()), Seconds(r.Post.Time)))
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
