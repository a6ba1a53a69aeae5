package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompile(t *testing.T) {
	countries := []row{
		{"id": "CAN", "name": "Canada", "lat": "46", "lon": "-88", "population": "37"},
		{"id": "ABW", "name": "Aruba", "lat": "12", "lon": "-69", "population": ""},
	}
	states := []row{
		{"country": "CAN", "state": "Yukon", "name": "Yukon", "lat": "60", "lon": "-135", "city_population": "28"},
		{"country": "CAN", "state": "Nunavut", "name": "Nunavut", "lat": "", "lon": "", "city_population": "0"},
		{"country": "ABW", "state": "Yukon", "name": "Yukon", "lat": "1", "lon": "2", "city_population": "3"},
	}
	cities := []row{{"country": "CAN", "state": "Yukon", "name": "Whitehorse", "lat": "60.7", "lon": "-135.1", "population": "28"}}
	got, err := compile(countries, states, cities)
	if err != nil {
		t.Fatal(err)
	}
	want := "ABW\tAruba\t12\t-69\t0\n" +
		"\tYukon\t\t1\t2\t3\n" +
		"CAN\tCanada\t46\t-88\t37\n" +
		"\tNU\tNunavut\t46\t-88\t0\n" +
		"\tYT\tYukon\t60\t-135\t28\n" +
		"\t\tWhitehorse\t\t60.7\t-135.1\t28\n"
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestCompileKeepsEveryPlace(t *testing.T) {
	countries := []row{{"id": "CAN"}}
	_, err := compile(countries, []row{{"country": "USA", "state": "CA"}}, nil)
	if err == nil || err.Error() != `states of the unknown country "USA"` {
		t.Errorf("a state without its country: got error %v", err)
	}
	_, err = compile(countries, nil, []row{{"country": "CAN", "state": "Yukon", "name": "Whitehorse"}})
	if err == nil || err.Error() != `cities of the unknown state "CAN.Yukon"` {
		t.Errorf("a city without its state: got error %v", err)
	}
}

func TestReadTableNamesTheBadLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.tsv.gz")
	if err := writePacked(path, []byte("a\tb\n1\t2\n3\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := readTable(path); err == nil || !strings.HasSuffix(err.Error(), "table.tsv.gz:3: 1 fields, not 2") {
		t.Errorf("got error %v, want one about line 3", err)
	}
}

// TestGenerated makes sure that the committed tables are what the source gives.
func TestGenerated(t *testing.T) {
	want, err := compileFolder(filepath.Join("..", "..", "..", "..", "shared", "data", "geo"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the source tables are not beside the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		if got := readMade(t, filepath.Join("..", name)); !bytes.Equal(got, text) {
			t.Errorf("%s is out of date: run go generate ./internal/geo", name)
		}
	}
}

func TestRunWritesEveryTable(t *testing.T) {
	data, out := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"countries.tsv.gz": "id\tiso2\tname\tlat\tlon\tpopulation\tcontinent\talt_names\nABW\tAW\tAruba\t12\t-69\t105845\tNA\tAruba|Аруба\n",
		"admin1.tsv.gz":    "country\tstate\tname\tlat\tlon\tcity_population\nABW\tAruba\tAruba\t12\t-69\t5\n",
		"cities.tsv.gz":    "country\tstate\tname\tlat\tlon\tpopulation\nABW\tAruba\tNoord\t12\t-70\t5\n",
	} {
		if err := writePacked(filepath.Join(data, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(data, out); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"places.tsv.gz":       "ABW\tAruba\t12\t-69\t105845\n\tAruba\t\t12\t-69\t5\n\t\tNoord\t\t12\t-70\t5\n",
		"countries.tsv":       "ABW\tAW\tAruba\tNA\n",
		"countrynames.tsv.gz": "ABW\tAruba\tАруба\n",
	} {
		if got := readMade(t, filepath.Join(out, name)); string(got) != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// readMade returns the text of a table that was written.
func readMade(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if filepath.Ext(path) == ".gz" {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
