package rest

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/test/testenv"
)

// marshalStd returns the JSON that encoding/json produces for v.
func marshalStd(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

type innerSample struct {
	ID    earshot.CategoryID `json:"id"`
	Name  string             `json:"name,omitempty"`
	Score float64            `json:"score"`
}

type baseSample struct {
	Start earshot.Timestamp `json:"startDate"`
	On    bool              `json:"on,omitempty"`
}

// A sample has fields of every type that responses use, and of some that they do not.
type sample struct {
	baseSample
	Plain     string
	Renamed   int64            `json:"renamed"`
	Small     int8             `json:"small,omitempty"`
	Unsigned  uint16           `json:"unsigned"`
	Hidden    string           `json:"-"`
	Zero      earshot.Count    `json:"zero,omitzero"`
	Moment    time.Time        `json:"moment,omitzero"`
	Date      earshot.Date     `json:"date"`
	Text      *string          `json:"text,omitempty"`
	Inner     innerSample      `json:"inner"`
	Pointer   *innerSample     `json:"pointer"`
	List      []innerSample    `json:"list"`
	Lists     [][]string       `json:"lists,omitempty"`
	Counts    map[string]int64 `json:"counts"`
	Bytes     []byte           `json:"bytes"`
	Array     [3]int           `json:"array"`
	Any       any              `json:"any"`
	Number    json.Number      `json:"number,omitempty"`
	Quoted    int64            `json:"quoted"`
	unseen    int
	Status    Success  `json:"status"`
	Maybe     *Success `json:"maybe,omitempty"`
	Itself    *sample  `json:"itself,omitempty"`
	Float32   float32  `json:"float32"`
	Interests map[earshot.Source][]string
}

func randomSample(rng *rand.Rand, deep bool) sample {
	text := func() string {
		var b strings.Builder
		for range rng.IntN(4) {
			b.WriteString([]string{"plain ", `"\`, "<b>&", "\x00\n\t", "\u2028", "é東👍🏽", "\xff"}[rng.IntN(7)])
		}
		return b.String()
	}
	inner := func() innerSample {
		return innerSample{earshot.CategoryID(rng.Int64()), text(), rng.NormFloat64() * math.Pow10(rng.IntN(60)-30)}
	}
	s := sample{
		baseSample: baseSample{earshot.Timestamp(time.Unix(rng.Int64N(4e9), 0)), rng.IntN(2) == 0},
		Plain:      text(), Renamed: rng.Int64() - 1<<62, Small: int8(rng.IntN(3)), Unsigned: uint16(rng.Uint32()), Hidden: "no",
		Date: earshot.DateOf(time.Unix(rng.Int64N(4e9), 0)), Inner: inner(), Bytes: []byte(text()), Array: [3]int{1, 2, rng.IntN(9)},
		Number: json.Number("17"), unseen: 4, Float32: rng.Float32(),
		List: []innerSample{}, Counts: map[string]int64{}, Interests: map[earshot.Source][]string{},
	}
	if rng.IntN(2) == 0 {
		name, in := text(), inner()
		s.Zero, s.Moment, s.Text, s.Pointer, s.Maybe = earshot.Counted(rng.Int64N(9)), time.Unix(rng.Int64N(4e9), 5), &name, &in, &Success{}
		s.List, s.Lists = []innerSample{inner(), inner()}, [][]string{{text()}, {}}
		s.Counts, s.Interests = map[string]int64{text(): 1, text(): 2, "b": 3, "a": 4}, map[earshot.Source][]string{"x": {text()}}
		s.Any = []any{1, 2.5, text(), nil, map[string]any{"k": in}, &in, s.Inner}[rng.IntN(7)]
	}
	if deep {
		in := randomSample(rng, false)
		s.Itself = &in
	}
	return s
}

func TestAppendJSON(t *testing.T) {
	testenv.SkipUnderRace(t)
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		v := randomSample(rng, true)
		for _, of := range []any{v, &v, []sample{v}, map[string]any{"v": v}} {
			got, err := AppendJSON([]byte("before"), of)
			if want := "before" + marshalStd(t, of); err != nil || string(got) != want {
				t.Fatalf("seed %d, %T: %v\ngot  %s\nwant %s", seed, of, err, got, want)
			}
			if got, err := appendParts([]byte("before"), of, nil); err != nil || string(got) != "before"+marshalStd(t, of) {
				t.Fatalf("seed %d, %T, in parts: %v\ngot  %s\nwant before%s", seed, of, err, got, marshalStd(t, of))
			}
		}
	}
}

func TestAppendJSONOfSimpleValues(t *testing.T) {
	var none *sample
	for _, v := range []any{nil, none, "", "a", 1, -1.5, true, []int{}, map[int]string{2: "b", 1: "a"},
		json.RawMessage(`{"a":1}`), earshot.Counted(3), [2]string{"a", "b"}, struct{}{}, earshot.Midnight(earshot.Date{Year: 2026, Month: 3, Day: 1})} {
		got, err := AppendJSON(nil, v)
		if want := marshalStd(t, v); err != nil || string(got) != want {
			t.Errorf("%T %v: got %s, %v, want %s", v, v, got, err, want)
		}
	}
}

// TestAppendJSONOfNil checks that lists and maps in responses are never null.
func TestAppendJSONOfNil(t *testing.T) {
	v := struct {
		List []string         `json:"list"`
		Map  map[string][]int `json:"map"`
		Omit []string         `json:"omit,omitempty"`
	}{Map: map[string][]int{"a": nil}}
	const want = `{"list":[],"map":{"a":[]}}`
	if got, err := AppendJSON(nil, v); err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := appendParts(nil, v, nil); err != nil || string(got) != want {
		t.Errorf("in parts: got %s, %v, want %s", got, err, want)
	}
	if got, err := AppendJSON(nil, map[string]int(nil)); err != nil || string(got) != "{}" {
		t.Errorf("got %s, %v, want {}", got, err)
	}
}

// TestAppendJSONOfOldNames checks that a renamed field also has its old key, and is omitted under both.
func TestAppendJSONOfOldNames(t *testing.T) {
	type renamed struct {
		At   int    `json:"trainedAt" old:"learntAt"`
		Omit string `json:"predicted,omitempty" old:"told"`
	}
	f := func(v any, want string) {
		t.Helper()
		if got, err := AppendJSON(nil, v); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		if got, err := appendParts(nil, v, nil); err != nil || string(got) != want {
			t.Errorf("in parts: got %s, %v, want %s", got, err, want)
		}
	}
	f(renamed{At: 1}, `{"trainedAt":1,"learntAt":1}`)
	f(struct{ renamed }{renamed{2, "a"}}, `{"trainedAt":2,"learntAt":2,"predicted":"a","told":"a"}`)
}

func TestAppendJSONErrors(t *testing.T) {
	for _, v := range []any{math.NaN(), []float64{math.Inf(1)}, struct{ F func() }{}, map[string]any{"c": make(chan int)}} {
		if got, err := AppendJSON(nil, v); err == nil {
			t.Errorf("%T: got %s and no error", v, got)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, text := range []string{"", "plain", `"\`, "<b>&", "\x00\x1f\b\f\n\r\t\x7f", "\u2028\u2029", "é東👍🏽", "\xff\xc3", "\ufffd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := string(jsonvalue.AppendString(nil, text)), marshalStd(t, text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func FuzzAppendFloat(f *testing.F) {
	for _, x := range []float64{0, math.Copysign(0, -1), 0.07, 0.29, 1e-6, 9.99e-7, 1e-7, -1e-10, 1e20, 1e21, 1.5e300, 1.0 / 3, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		if got, want := string(jsonvalue.AppendNumber(nil, x)), marshalStd(t, x); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// BenchmarkAppendJSON encodes a year of days with ten shares each, like a typical response.
func BenchmarkAppendJSON(b *testing.B) {
	type day struct {
		baseSample
		End    earshot.Timestamp `json:"endDate"`
		Posts  int64             `json:"numberOfDocuments"`
		Shares []innerSample     `json:"shares"`
	}
	year := make([]day, 365)
	for i := range year {
		year[i] = day{Posts: int64(i) * 1000, Shares: make([]innerSample, 10)}
		for k := range year[i].Shares {
			year[i].Shares[k] = innerSample{earshot.FirstID, "Basic Positive", float64(k) / 100}
		}
	}
	b.Run("rest", func(b *testing.B) {
		b.ReportAllocs()
		var text []byte
		for b.Loop() {
			text, _ = AppendJSON(text[:0], year)
		}
		b.SetBytes(int64(len(text)))
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.SetBytes(int64(len(marshalStd(b, year))))
		}
	})
}
