package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/test/testenv"
)

func TestReport(t *testing.T) {
	a, b := testID{"p", "TestA"}, testID{"p", "TestB"}
	sub := testID{"p", "TestA/sub"}
	for _, tt := range []struct {
		name    string
		passed  []testID
		skipped map[testID]string
		ok      bool
		want    string
	}{
		{"all passed", []testID{a, b}, nil, true, "every one of 2 tests ran"},
		{"one was left out", []testID{a}, nil, false, "FAIL: p TestB did not run"},
		{"one was skipped", []testID{a}, map[testID]string{b: "no time"}, false, "FAIL: p TestB skipped: no time"},
		{"one was skipped in one of two runs", []testID{a, b}, map[testID]string{b: "no time"}, true, "every one of 2 tests ran"},
		{"one runs only with -long", []testID{a}, map[testID]string{b: testenv.LongReason}, true, testenv.LongReason + ": p TestB"},
		{"one is a helper", []testID{a}, map[testID]string{b: testenv.HelperReason + ": run by TestA"}, true, testenv.HelperReason + ": p TestB"},
		{"one needs data", []testID{a}, map[testID]string{b: testenv.MissingReason + ": data"}, true, testenv.MissingReason + ": p TestB"},
		{"a subtest was skipped", []testID{a, b}, map[testID]string{sub: "no time"}, false, "FAIL: p TestA/sub skipped: no time"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			passed := map[testID]bool{}
			for _, id := range tt.passed {
				passed[id] = true
			}
			var out bytes.Buffer
			err := report(&out, []testID{a, b}, passed, tt.skipped)
			if (err == nil) != tt.ok || !strings.Contains(out.String(), tt.want) {
				t.Errorf("got %v and %q, want %q", err, &out, tt.want)
			}
		})
	}
}

func TestTestsOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x_test.go")
	source := `package p
func TestMain(m *testing.M) {}
func TestA(t *testing.T) {}
func Test(t *testing.T) {}
func Test_b(t *testing.T) {}
func Testing() {}
func FuzzC(f *testing.F) {}
func BenchmarkD(b *testing.B) {}
func (s suite) TestE() {}
func helper() {}
`
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := testsOf(file)
	if want := []string{"TestA", "Test", "Test_b", "FuzzC"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestPrinter(t *testing.T) {
	events := `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"fine\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.5}
{"Action":"output","Package":"p","Test":"TestB","Output":"broken\n"}
{"Action":"fail","Package":"p","Test":"TestB","Elapsed":1}
{"Action":"output","Package":"p","Output":"testrun-cpu 2.50\n"}
{"Action":"fail","Package":"p","Elapsed":1.5}
not an event
{"Action":"skip","Package":"empty"}
{"Action":"pass","Package":"q","Elapsed":2}
`
	var out, record bytes.Buffer
	p := &printer{out: &out, record: json.NewEncoder(&record), output: map[string]map[string]string{}}
	if err := p.read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	if want := "broken\ntestrun-cpu 2.50\nFAIL\tp\t1.5s\nnot an event\nok\tq\t2.0s\n"; out.String() != want {
		t.Errorf("got %q, want %q", &out, want)
	}
	if p.packages != 2 || p.tests != 2 || strings.Count(record.String(), "\n") != 6 {
		t.Errorf("got %d packages, %d tests and the record\n%s", p.packages, p.tests, &record)
	}
}
