package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"earshot/internal/ingest/item/record"
	"earshot/internal/test/testenv"
)

// read returns the records of a file, and after each the position.
func read(r *record.Reader) (records []string, after []record.Position, err error) {
	for {
		data, line, err := r.Next()
		var bad *record.Bad
		switch {
		case errors.Is(err, io.EOF):
			return records, after, nil
		case errors.As(err, &bad):
			data = []byte(bad.Message)
		case err != nil:
			return records, after, err
		}
		records = append(records, fmt.Sprintf("%d: %s", line, data))
		after = append(after, r.Position())
	}
}

func open(text string, list bool) (*record.Reader, error) {
	if list {
		return record.NewJSONReader(strings.NewReader(text))
	}
	return record.NewReader(strings.NewReader(text))
}

func TestJSONReaderAcceptsAnyLayout(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		r, err := record.NewJSONReader(strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return
		}
		if got, _, err := read(r); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q and %v, want %q", text, got, err, want)
		}
	}
	f("")
	f(" \n")
	f("[]")
	f(`{"guid":"1"}`, `1: {"guid":"1"}`)
	f("{\"guid\":\"1\"}\n\n{\"guid\":\"2\"}\n", `1: {"guid":"1"}`, `2: `, `3: {"guid":"2"}`)
	f("{\n\"guid\":\"1\"\n}\n{\n\"guid\":\"}\"}", "1: {\n\"guid\":\"1\"\n}", "4: {\n\"guid\":\"}\"}")
	f("\xef\xbb\xbf[\n {\"guid\":\"a]\\\"\"},\n {\"b\":[1,{}]}\n]\n junk", `2: {"guid":"a]\""}`, `3: {"b":[1,{}]}`)
	f("{ \"items\" :\n[{\"guid\":\"1\"},{}], \"next\":null}", `2: {"guid":"1"}`, `2: {}`)
	f(`[1,"a",null,tru]`, "1: 1", `1: "a"`, "1: null", "1: tru")
	f("[{\"a\":\n{}", "1: the file ends within the record")
	f("[12", "1: 12")
	f(`[{"a":"`+strings.Repeat("x", record.MaxBytes)+`"},{}]`, "1: the record is longer than 1048576 bytes", "1: {}")
	if _, err := record.NewJSONReader(strings.NewReader("guid,date\n")); err == nil || err.Error() != "the file is not JSON: it starts with 'g'" {
		t.Errorf("CSV: got %v", err)
	}
}

var files = []string{
	"{\"guid\":\"1\"}\n\n{\"guid\":\"2\"}\r\n nonsense \n{\"guid\":\"3\"}",
	"\xef\xbb\xbf\n\n{\"guid\":\"1\"}\n{}\n",
	"guid,contents\n1,\"two\nlines\"\n\n2,x\"y\n3\n4,\"a\r\nb\",c\n5,ok\n6,\xff\n7,\"open\n",
	"\n \nGUID;date;custom.a\n1;2;3\r\n4;\"5\n\n6\";7",
	"[{\"a\":1},\n{\"b\":\n2} , 3]",
	"{\n\"a\":1}{\"b\":2}\n\n{\"c\":3",
	"{\"items\":[{\"a\":1},{\"b\":2}]}",
}

func TestResumeAtEveryRecord(t *testing.T) {
	for _, text := range files {
		checkResume(t, text, false)
		checkResume(t, text, true)
	}
}

func FuzzReader(f *testing.F) {
	for _, text := range files {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(checkResume)
}

// checkResume reads a file, and again from the position after each record.
func checkResume(t *testing.T, text string, list bool) {
	whole, err := open(text, list)
	if err != nil {
		return
	}
	records, after, err := read(whole)
	if err != nil {
		testenv.SkipMissing(t, err)
	}
	for i, at := range after[:min(len(after), 20)] {
		r, err := open(text, list)
		if err != nil {
			t.Fatal(err)
		}
		r.Resume(strings.NewReader(text[at.Offset:]), at)
		rest, ends, err := read(r)
		if err != nil || fmt.Sprint(rest) != fmt.Sprint(records[i+1:]) || fmt.Sprint(ends) != fmt.Sprint(after[i+1:]) {
			t.Fatalf("%q after record %d at %+v: got %q, %v and %v, want %q and %v", text, i, at, rest, ends, err, records[i+1:], after[i+1:])
		}
	}
}

func TestDecodeDeletion(t *testing.T) {
	f := func(text, guid string, ok bool) {
		t.Helper()
		if got, deleted := record.DecodeDeletion([]byte(text)); got != guid || deleted != ok {
			t.Errorf("%s: got %q and %v, want %q and %v", text, got, deleted, guid, ok)
		}
	}
	f(`{"guid":" 17 ","deleted":true}`, "17", true)
	f(`{"guid":17,"deleted":"true","contents":"x"}`, "17", true)
	f(`{"url":"http://a.example/1","deleted":true}`, "http://a.example/1", true)
	f(`{"guid":"17","deleted":false}`, "", false)
	f(`{"guid":"17"}`, "", false)
	f(`{"deleted":true}`, "", false)
	f(`{"guid":"17","deleted":5}`, "", false)
	f(`["deleted"]`, "", false)
}

func TestCSVMayDelete(t *testing.T) {
	r, err := record.NewReader(strings.NewReader("guid,deleted\n5,TRUE\n"))
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := r.Next()
	if guid, ok := record.DecodeDeletion(data); err != nil || !ok || guid != "5" {
		t.Errorf("got %s, %v, %q and %v", data, err, guid, ok)
	}
}

func TestReaderReturnsReadErrors(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("[{},"), &failing{})
	r, err := record.NewJSONReader(broken)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := read(r); len(got) != 1 || !errors.Is(err, errBroken) {
		t.Errorf("got %q and %v", got, err)
	}
}

var errBroken = errors.New("broken")

type failing struct{ bytes.Reader }

func (*failing) Read([]byte) (int, error) { return 0, errBroken }

func BenchmarkReader(b *testing.B) {
	const line = `{"type":"Twitter","guid":"1","url":"http://twitter.com/a/status/1","date":"2026-03-10T10:00:00Z","contents":"Coffee ☕","authorFollowers":12,"likes":0,"hashtags":["a","b"]}` + "\n"
	const row = "Twitter,1,http://twitter.com/a/status/1,2026-03-10T10:00:00Z,Coffee ☕,12,0,a|b\n"
	f := func(name, text string, list bool) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r, err := open(text, list)
				if err != nil {
					b.Fatal(err)
				}
				for n := 0; ; n++ {
					data, _, err := r.Next()
					if errors.Is(err, io.EOF) {
						break
					}
					if _, err := record.Decode(data); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "records/s")
		})
	}
	f("lines", strings.Repeat(line, 1000), false)
	f("list", "["+strings.Repeat(line+",", 999)+line+"]", true)
	f("csv", "type,guid,url,date,contents,authorFollowers,likes,hashtags\n"+strings.Repeat(row, 1000), false)
}
