package record

import (
	"reflect"
	"testing"

	"earshot/internal/http/rest"
)

// scanCases are valid and invalid lines.
var scanCases = []string{
	`{"type":"Twitter","guid":"1","url":"http://twitter.com/a/status/1","date":"2026-03-10T10:00:00Z","contents":"Coffee ☕","authorFollowers":12,"likes":0,"hashtags":["a","b"]}`,
	` { "type" : "News" , "contents" : "two\nlines \"quoted\" \ud83d\ude00" , "shares" : -3 } `,
	`{}`,
	`{"geolocation":{"id":"USA.CA","latitude":1.5},"rating":4.5,"custom":{"a":"b","c":null},"authorVerified":true}`,
	`{"images":[{"url":"u","brands":[{"brandId":7,"brand":"B","score":0.5}],"objects":[{"classId":"3","className":"cup","score":1}]}],"mediaUrls":[]}`,
	`{"guid":17,"likes":"12"}`,
	`{"guid":null,"hashtags":null,"likes":null}`,
	`{"Type":"News"}`, `{"type":"a","type":"b"}`, `{"unknown":1,"type":"a"}`,
	`{"likes":01}`, `{"likes":1.0}`, `{"likes":1e2}`, `{"likes":-}`, `{"likes":99999999999999999999}`, `{"likes":}`,
	`{"type":"a",}`, `{,"type":"a"}`, `{"type":"a"`, `{"type":"a"}}`, `{"type":"a"} x`, `{"type" "a"}`, `[]`, `null`, `"x"`, ``, ` `,
	"{\"type\":\"a\x01\"}", "{\"type\":\"a\xff\"}", `{"type":"\x"}`, `{"type":"\u12"}`, `{"type":"\ud800"}`, `{"type":"a\\"}`, `{"type":"a\"}`,
	`{"hashtags":["a",]}`, `{"hashtags":[,"a"]}`, `{"hashtags":["a" "b"]}`, `{"hashtags":[1]}`, `{"hashtags":["a"`,
	`{"geolocation":{"id":"a}"}}`, `{"geolocation":{]}`, `{"rating":}`, `{"rating":1`, `{"rating":[}`, `{"custom":{"a":1}}`,
	"\ufeff{\"type\":\"a\"}", "{\"type\":\"a\",\"\\u0075rl\":\"b\"}",
}

func TestScanAgreesWithDecode(t *testing.T) {
	quick := 0
	for _, line := range scanCases {
		if checkScanned(t, line) {
			quick++
		}
	}
	if quick < 5 {
		t.Errorf("scanned %d of the lines, want at least 5", quick)
	}
}

// checkScanned compares scan with rest.Decode, and reports whether scan supports the line.
func checkScanned(t *testing.T, line string) bool {
	t.Helper()
	var scanned, decoded Record
	if !scan(line, &scanned) {
		return false
	}
	if err := rest.Decode([]byte(line), "", &decoded); err != nil {
		t.Errorf("%q is scanned, but decoding returns %v", line, err)
	} else if !reflect.DeepEqual(scanned, decoded) {
		t.Errorf("%q\nscanned %+v\ndecoded %+v", line, scanned, decoded)
	}
	return true
}

func TestEveryFieldIsScanned(t *testing.T) {
	typ := reflect.TypeFor[Record]()
	if len(fields) != typ.NumField() {
		t.Errorf("scans %d fields, a record has %d", len(fields), typ.NumField())
	}
	var p Record
	v := reflect.ValueOf(&p).Elem()
	for i := range typ.NumField() {
		place, ok := fieldIndex[typ.Field(i).Tag.Get("json")]
		if !ok || fields[place].of(&p) != v.Field(i).Addr().Interface() {
			t.Errorf("field %s is not scanned, or into another field", typ.Field(i).Name)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, line := range scanCases {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) { checkScanned(t, line) })
}

func BenchmarkScan(b *testing.B) {
	line := scanCases[0]
	b.Run("scanned", func(b *testing.B) {
		for b.Loop() {
			var p Record
			if !scan(line, &p) {
				b.Fatal("not scanned")
			}
		}
	})
	b.Run("decoded", func(b *testing.B) {
		for b.Loop() {
			var p Record
			if err := rest.Decode([]byte(line), "", &p); err != nil {
				b.Fatal(err)
			}
		}
	})
}
