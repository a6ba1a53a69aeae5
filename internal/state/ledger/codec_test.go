package ledger

import (
	"flag"
	"os"
	"reflect"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestStoredFormIsUnchanged pins the record, because renaming a field would lose data on disk.
func TestStoredFormIsUnchanged(t *testing.T) {
	got, err := encode(fullAnalysis())
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const file = "testdata/record.golden"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the stored form changed; records written before would be misread\ngot\n%s\nwant\n%s", got, want)
	}
	r, err := decode(want)
	if err != nil || !reflect.DeepEqual(r, fullAnalysis()) {
		t.Errorf("got %+v, %v, want %+v", r, err, fullAnalysis())
	}
}

// TestFullAnalysisSetsEveryField detects new fields that fullAnalysis does not set yet.
func TestFullAnalysisSetsEveryField(t *testing.T) {
	wantSet(t, "Record", reflect.ValueOf(fullAnalysis()).Elem())
}

func wantSet(t *testing.T, name string, v reflect.Value) {
	if v.IsZero() {
		t.Errorf("%s is not set", name)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		wantSet(t, name, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			wantSet(t, name, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				wantSet(t, name+"."+f.Name, v.Field(i))
			}
		}
	}
}

func TestKeysRoundTrip(t *testing.T) {
	f := func(s string, want key, ok bool) {
		t.Helper()
		got, err := parseKey(s)
		if got != want || (err == nil) != ok {
			t.Errorf("%q: got %+v, %v, want %+v", s, got, err, want)
		}
	}
	f("result.7", key{id: 7}, true)
	f("open.7", key{id: 7, pending: true}, true)
	f("open.-7", key{id: -7, pending: true}, true)
	for _, s := range []string{"", "open", "open.", "open.x", "open.07", "open.+7", "open.7.7", "result.9223372036854775808", "Result.7", "7"} {
		f(s, key{}, false)
	}
}
