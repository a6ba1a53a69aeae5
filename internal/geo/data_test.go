package geo

import (
	"strings"
	"testing"
)

func TestParseRejectsBadLines(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%q): got error %v, want one with %q", text, err, want)
		}
	}
	f("AAA\tA\t1\t2\n", "line 1: \"AAA\\tA\\t1\\t2\" has not the five fields")
	f("\n", "five fields")
	f("\tX\t\t1\t2\t3\n", "is in no place")
	f("AAA\t\t1\t2\t3\n\t\tX\t\t1\t2\t3\n", "line 2: \"\\t\\tX\\t\\t1\\t2\\t3\" is in no place")
	f("AAA\t\tnorth\t2\t3\n", "north")
	f("AAA\t\t1\teast\t3\n", "east")
	f("AAA\t\t1\t2\tmany\n", "many")
	f("BBB\t\t1\t2\t3\nAAA\t\t1\t2\t3\n", "line 2: AAA is out of order")
	f("AAA\t\t1\t2\t3\nAAA\t\t1\t2\t3\n", "line 2: AAA is out of order")
}

func TestUnpackRejectsBadData(t *testing.T) {
	for _, packed := range []string{"", "not gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"} {
		if _, err := unpack([]byte(packed)); err == nil {
			t.Errorf("unpack(%q): got no error", packed)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := unpack(packed); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		Find("USA.CA.San Diego")
	}
}

func BenchmarkFindInAnyCase(b *testing.B) {
	for b.Loop() {
		Find("usa.ca.san diego")
	}
}
