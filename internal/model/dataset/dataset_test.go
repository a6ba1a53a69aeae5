package dataset

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.tsv.gz")
	write := func(text string) {
		t.Helper()
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z := gzip.NewWriter(f)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write("id\ttext\n1\tA fine day\n2\t\n")
	want := []Row{{"id": "1", "text": "A fine day"}, {"id": "2", "text": ""}}
	if got, err := Table(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	f := func(text, want string) {
		t.Helper()
		write(text)
		if _, err := Table(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
	f("", "the table is empty")
	f("id\ttext\n1\n", "line 2 has 1 columns, want 2")
	if err := os.WriteFile(path, []byte("id\ttext\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Table(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a file that is not packed: got %v, want an error that names it", err)
	}
}
