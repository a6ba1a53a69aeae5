package classify

import (
	"math/rand/v2"
	"testing"
)

// TestPoolMatchesScalarCode compares the filters, which process eight bytes at once, with scalar
// code.
func TestPoolMatchesScalarCode(t *testing.T) {
	const count, words = 16, 20
	random := rand.New(rand.NewPCG(2, 2))
	numbers := func() []float32 {
		list := make([]float32, count)
		for i := range list {
			list[i] = float32(random.NormFloat64())
		}
		return list
	}
	hashes, rows := make([]uint64, words), make([]FilterRow, words)
	for i := range rows {
		hashes[i], rows[i] = random.Uint64(), FilterRow{numbers(), numbers(), numbers()}
	}
	unknown := numbers()
	data, steps := EncodeFilters(hashes, rows, unknown)
	filters, err := OpenFilters(data)
	if err != nil {
		t.Fatal(err)
	}
	var found TokenRows // reused for all texts
	for _, length := range random.Perm(40) {
		var tokens []Token
		places := make([]int, length)
		for i := range places {
			places[i] = random.IntN(words+1) - 1 // -1 means unknown
			hash := uint64(12345)
			if places[i] >= 0 {
				hash = hashes[places[i]]
			}
			tokens = append(tokens, Token{Hash: hash})
		}
		var p Pool
		filters.Find(tokens, &found)
		filters.Pool(&found, &p)
		for f := range count {
			most, sum := plainPool(places, rows, unknown, steps, f)
			if int(p.Max[f]) != most || int(p.Sum[f]) != sum {
				t.Fatalf("%d tokens, filter %d: most %d, sum %d, want %d, %d", length, f, p.Max[f], p.Sum[f], most, sum)
			}
		}
	}
}

func plainPool(places []int, rows []FilterRow, unknown, steps []float32, f int) (most, sum int) {
	steps1 := func(n float32) int { return int(Quantize(n, steps[f], filterZero)) }
	for i, place := range places {
		fired := steps1(unknown[f])
		if place >= 0 {
			fired = steps1(rows[place].Middle[f])
		}
		if i > 0 && places[i-1] >= 0 {
			fired += steps1(rows[places[i-1]].First[f])
		}
		if i+1 < len(places) && places[i+1] >= 0 {
			fired += steps1(rows[places[i+1]].Last[f])
		}
		most = max(most, fired)
		sum += max(fired, 0)
	}
	return most, sum
}

func TestPoolDoesNotOverflow(t *testing.T) {
	high := []float32{9, 9, 9, 9, 9, 9, 9, 9}
	data, _ := EncodeFilters([]uint64{7}, []FilterRow{{high, high, high}}, high)
	filters, err := OpenFilters(data)
	if err != nil {
		t.Fatal(err)
	}
	tokens := make([]Token, 10*MaxPoolTokens)
	for i := range tokens {
		tokens[i].Hash = 7
	}
	var places TokenRows
	var p Pool
	filters.Find(tokens, &places)
	filters.Pool(&places, &p)
	step := int(p.Sum[0]) / MaxPoolTokens
	if step == 0 || int(p.Max[0]) < step || p.Sum[0] != p.Sum[7] {
		t.Errorf("most %d, sums %d and %d", p.Max[0], p.Sum[0], p.Sum[7])
	}
}

func TestExcessAndMaxSevenBits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 10_000 {
		var sum, low uint64
		for i := range 8 {
			sum |= uint64(random.IntN(6*filterZero+1)) << (8 * i)
			low |= uint64(random.IntN(3*filterZero+1)) << (8 * i)
		}
		above := excess(sum)
		larger := maxSevenBits(low, above)
		for i := range 8 {
			x, y := int(byte(sum>>(8*i))), int(byte(low>>(8*i)))
			if got, want := int(byte(above>>(8*i))), max(x-3*filterZero, 0); got != want {
				t.Fatalf("a sum of %d is %d above 0, want %d", x, got, want)
			}
			if got, want := int(byte(larger>>(8*i))), max(y, x-3*filterZero); got != want {
				t.Fatalf("the larger of %d and %d is %d, want %d", y, x-3*filterZero, got, want)
			}
		}
	}
}

func FuzzOpenFilters(f *testing.F) {
	some := make([]float32, 8)
	data, _ := EncodeFilters([]uint64{Hash("a")}, []FilterRow{{some, some, some}}, some)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		filters, err := OpenFilters(data)
		if err != nil {
			return
		}
		var places TokenRows
		var p Pool
		filters.Find([]Token{{Hash: Hash("a")}, {Hash: Hash("b")}}, &places)
		filters.Pool(&places, &p)
	})
}
