package rest

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/test/testenv"
)

// few is a list of at most three elements, or one element.
type few []itemBody

func (few) CheckLength(n int) error {
	if n > 3 {
		return earshot.Errorf(earshot.TooLarge, "%d are too many", n)
	}
	return nil
}

func (few) MayBeSingle() {}

type fewBody struct {
	Items few   `json:"items"`
	IDs   []int `json:"ids"`
}

// counted is a body that counts what is read of it.
type counted struct {
	io.Reader
	read int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += n
	return n, err
}

const megabytes20 = 20 << 20

func TestBodiesAreRefusedWhileTheyAreRead(t *testing.T) {
	testenv.SkipUnderRace(t)
	f := func(before, fill, after string, most int, want string) {
		t.Helper()
		fills := (megabytes20 - len(before) - len(after)) / len(fill)
		from := &counted{Reader: strings.NewReader(before + strings.Repeat(fill, fills) + after)}
		c := reader{from: from, size: megabytes20}
		err := c.decode(reflect.ValueOf(new(fewBody)).Elem())
		if err == nil {
			t.Fatalf("%s%s…%s was accepted", before, fill, after)
		}
		if got := readError("", err).Error(); got != want {
			t.Errorf("%s%s…%s\ngot  %s\nwant %s", before, fill, after, got, want)
		}
		if from.read > most {
			t.Errorf("%s%s…%s: read %d bytes, want at most %d", before, fill, after, from.read, most)
		}
		if cap(c.data) > 2*most {
			t.Errorf("%s%s…%s: keeps %d bytes", before, fill, after, cap(c.data))
		}
	}
	const start = 8 << 10
	f(`{"items":["`, "a", `"]}`, start, "Invalid request body: items[0] must be an object, not a string")
	f(`{"items":{"age":["`, "a", `"]}}`, start, "Invalid request body: items.age must be a whole number, not a list")
	f(`{"\u0069temſ":["`, "a", `"]}`, start, "Invalid request body: itemſ[0] must be an object, not a string")
	f(`[`, "[", ``, start, "Invalid request body: must be an object, not a list")
	f(`{"x":`, "[", ``, start, "Invalid request body: lists and objects are nested more than 100 levels deep at byte 105")
	f(`{"x":`, "1", `}`, 200<<10, "Invalid request body: the number at byte 6 has more than 65536 digits")
	f(`{"items":[{"count":"`, "1", `"}]}`, 8<<20, "Invalid request body: the text at byte 20 is longer than 4194304 bytes")
	f(`{"x":"`, "a", `"}`, 8<<20, "Invalid request body: the text at byte 6 is longer than 4194304 bytes")
	f(`{"`, `\u0061`, `":1}`, 8<<20, "Invalid request body: the text at byte 2 is longer than 4194304 bytes")
	f(`{"x":[`, "0,", `0]}`, 1<<20, "Invalid request body: it has more than 200000 values")
	f(`{`, `"x":0,`, `"x":0}`, 3<<20, "Invalid request body: it has more than 200000 values")
	f(`{"ids":[`, "0,", `"x"]}`, megabytes20, "Invalid request body: ids must be shorter, not a list of 10485754 elements")
}

func TestLongListsAreCountedWithoutKeepingThem(t *testing.T) {
	testenv.SkipUnderRace(t)
	f := func(list string, want string) {
		t.Helper()
		c := reader{from: strings.NewReader(`{"items":` + list + strings.Repeat(" ", megabytes20))}
		err := c.decode(reflect.ValueOf(new(fewBody)).Elem())
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", earshot.Clip(list, 80), err, want)
		}
		if cap(c.data) > 16<<10 {
			t.Errorf("%s: keeps %d bytes", earshot.Clip(list, 80), cap(c.data))
		}
	}
	f(`[{},{},{},{}]`, "4 are too many")
	f(`[{},{},{},{"a":[1,2,3],"b":"]}\",,"}, null ,"x,y"]}`, "6 are too many")
	f(`[{},{},{}`+strings.Repeat(`,{"title":"a,b"}`, 1_000_000)+`]`, "1000003 are too many")
	f(`[{},{},{}`+strings.Repeat(`,{`, 5000), "4 are too many") // incomplete
}

func TestRefusedBodiesTakeLittleMemory(t *testing.T) {
	testenv.SkipUnderRace(t)
	h := New(Options{Authenticate: authenticate}, []Route{Handle("POST", "/x", SignedIn,
		func(_ context.Context, _ *earshot.Caller, p struct {
			Body fewBody `body:"json,large"`
		}) (int, error) {
			return len(p.Body.Items), nil
		})})
	f := func(before, fill, after string, most uint64) {
		t.Helper()
		body := before + strings.Repeat(fill, (megabytes20-len(before)-len(after))/len(fill)) + after
		from := &counted{Reader: strings.NewReader(body)}
		r := httptest.NewRequest("POST", "/x?auth=plain", from)
		r.ContentLength = int64(len(body))
		w := httptest.NewRecorder()
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		h.ServeHTTP(w, r)
		runtime.ReadMemStats(&end)
		if w.Code != 400 && w.Code != 413 {
			t.Errorf("%s%s…%s: got %d %s", before, fill, after, w.Code, w.Body)
		}
		if used := end.TotalAlloc - start.TotalAlloc; used > most {
			t.Errorf("%s%s…%s: allocated %d bytes, want at most %d", before, fill, after, used, most)
		}
		if from.read != len(body) {
			t.Errorf("%s%s…%s: read %d of %d bytes; the client is still sending the others", before, fill, after, from.read, len(body))
		}
	}
	const budget = bodyWeight*megabytes20 + 4<<20 // other goroutines allocate, too
	f(`{"items":["`, "a", `"]}`, 1<<20)
	f(`{"items":[`, "{},", `{}]}`, 1<<20)
	f(`{"x":[`, "{},", `{}]}`, 4<<20)
	f(`{"items":[{"author":"`, "a", `"}]}`, 16<<20)
	f(`{"items":[{"author":"`, strings.Repeat("a", 1<<20)+`"},{"author":"`, `"},{"age":"x"}]}`, budget)
	f(`{"items":[{"author":"`, strings.Repeat("a", 1<<20)+`"},{"author":"`, `"},{"age":1}]]`, budget)
	f(`{"items":[{"author":"`, strings.Repeat(`\u00e9`, 1<<17)+`"},{"author":"`, "\xff\"}]}", budget)
}

// TestCheckedBodiesDecode compares the checker with encoding/json where a wrong guess about a key
// would reject a valid body or decode an unchecked one.
func TestCheckedBodiesDecode(t *testing.T) {
	type inner struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	type outer struct {
		inner
		A    string         `json:"a"`
		Self *outer         `json:"self"`
		Data []byte         `json:"data"`
		Map  map[string]int `json:"map"`
		Pair [2]int         `json:"pair"`
		Raw  json.RawMessage
		C    int `json:"-"`
	}
	for _, body := range []string{
		`{"a":"x","b":1}`, `{"a":1}`, `{"A":"x","B":"y"}`, `{"\u0041":1}`, `{"self":{"self":{"a":"x"}}}`, `{"self":{"self":{"a":5}}}`,
		`{"self":null,"map":null,"a":null}`, `{"data":"aGk="}`, `{"map":{"x":1,"a":2}}`, `{"map":{"x":"1"}}`, `{"pair":[1,2,3]}`,
		`{"pair":[1,"x"]}`, `{"raw":[{"a":"b"}]}`, `{"c":"x"}`, `{"-":"x"}`, ` {"a" : "x" , "b" : 1 } `, `{"a":"\u005c\""}`, `{"b":1e1}`, `{"b":1.5}`,
		`{"b":-0}`, `{"b":01}`, `{"b":nul}`, `{"b":1,}`, `{,}`, `{"b"}`, `{"b":1 "a":2}`, `{"a":"x"}}`, `{"a":"x`, `{"a":"x\`,
	} {
		var got, want outer
		err, wantErr := Decode([]byte(body), "", &got), json.Unmarshal([]byte(body), &want)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v, %v\nwant %+v, %v", body, got, err, want, wantErr)
		}
	}
}
