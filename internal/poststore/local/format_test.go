package local

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/test/testenv"
)

// TestNewerFormat opens, checks and repairs stores that a newer version wrote: an intact one, and one
// whose database is damaged. Each is refused with the reason, and none is changed.
func TestNewerFormat(t *testing.T) {
	f := func(name string, damage func(dir string)) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openAt(t, dir)
			appendAll(t, s, 1)
			must(t, s.Close())
			changeState(t, dir, func(r *stateRecord) { r.Format = Format + 1 })
			damage(dir)
			before := contents(t, dir)
			want := fmt.Sprintf("a newer version of Earshot has written this data (format %d, and this version knows formats up to %d)", Format+1, Format)
			for what, try := range map[string]func() error{
				"Open":       func() error { _, err := Open(t.Context(), Options{Dir: dir}); return err },
				"Inspect":    func() error { _, err := Inspect(dir); return err },
				"Check":      func() error { _, err := Check(t.Context(), CheckOptions{Dir: dir}); return err },
				"Plan":       func() error { _, err := Plan(t.Context(), dir, 0); return err },
				"OpenExport": func() error { _, err := OpenExport(t.Context(), Options{Dir: dir}); return err },
			} {
				err := try()
				if name != "intact" && what != "Plan" {
					continue // what they report is damage
				}
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got %v, want %s", what, err, want)
				}
			}
			if got := contents(t, dir); !reflect.DeepEqual(got, before) {
				t.Error("the files have changed")
			}
		})
	}
	f("intact", func(string) {})
	f("without its last commit", func(dir string) {
		must(t, createWitness(dir, witness{Commit: 1000}))
	})
}

// TestRaiseFormat opens stores that earlier versions wrote. They have the current format from then on,
// even if nothing else is written.
func TestRaiseFormat(t *testing.T) {
	for earlier := 1; earlier < Format; earlier++ {
		dir := t.TempDir()
		s := openAt(t, dir)
		appendAll(t, s, 1)
		must(t, s.Close())
		before := changeState(t, dir, func(r *stateRecord) { r.Format = earlier })
		must(t, openAt(t, dir).Close())
		after := changeState(t, dir, func(*stateRecord) {})
		if after.Format != Format || after.Commit <= before.Commit || after.Position != before.Position {
			t.Errorf("got %+v after %+v, want format %d", after, before, Format)
		}
		wantNoFindings(t, dir)
		must(t, openAt(t, dir).Close())
		if again := changeState(t, dir, func(*stateRecord) {}); again != after {
			t.Errorf("got %+v after %+v, want no change", again, after)
		}
	}
}

// changeState changes the state record of a closed store, and returns it.
func changeState(t *testing.T, dir string, change func(*stateRecord)) (state stateRecord) {
	t.Helper()
	db, err := openPebble(stateDir(dir), pebbleOptions(discardLog))
	must(t, err)
	data, err := get(db, recID(recState))
	must(t, err)
	must(t, json.Unmarshal(data, &state))
	before := state
	if change(&state); state != before {
		b := db.NewBatch()
		must(t, putJSON(b, recID(recState), state))
		must(t, b.Commit(pebble.Sync))
	}
	must(t, db.Close())
	return state
}

// contents returns the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	}))
	return files
}

// TestRecordKinds compares the kinds of records, and the fields that describe the whole store, with a
// list that names the format. A version that does not know one of them does not maintain it, and what
// it writes then looks damaged: docs/decisions/0074-data-formats.md.
func TestRecordKinds(t *testing.T) {
	source, err := os.ReadFile("record.go")
	must(t, err)
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\trec(\w+) += '(.)' //`).FindAllStringSubmatch(string(source), -1) {
		got = append(got, "record "+m[2]+" "+m[1])
	}
	for _, record := range []any{stateRecord{}, segmentRecord{}, witness{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(record)) {
			got = append(got, "field "+reflect.TypeOf(record).Name()+" "+field.Name)
		}
	}
	testenv.WantKinds(t, "testdata/format.txt", fmt.Sprintf("format %d", Format), got)
}
