package local

import (
	"context"
	"errors"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/poststore/storecopy"
	"earshot/internal/poststore/storetest"
	"earshot/internal/test/testenv"
)

// copySource returns a store to copy from.
func copySource(t *testing.T) storetest.CopySource {
	dir := t.TempDir()
	s := openAt(t, dir)
	return storetest.CopySource{Store: s, Export: func() poststore.Exporter {
		must(t, s.Close())
		export, err := OpenExport(t.Context(), Options{Dir: dir})
		must(t, err)
		t.Cleanup(func() { must(t, export.Close()) })
		return export
	}}
}

// copyTarget returns a store to copy to. It must refuse to be opened before the copy is complete.
func copyTarget(t *testing.T) storetest.CopyTarget {
	dir := t.TempDir()
	var last *Import
	return storetest.CopyTarget{
		Import: func() poststore.Importer {
			if last != nil {
				begun := last.last.Source != ""
				must(t, last.Close())
				if _, err := Inspect(dir); errors.Is(err, poststore.ErrUnfinishedCopy) != begun {
					t.Errorf("inspect an unfinished copy: %v", err)
				}
				if begun {
					if _, err := OpenExport(t.Context(), Options{Dir: dir}); !errors.Is(err, poststore.ErrUnfinishedCopy) {
						t.Errorf("copy an unfinished copy: %v", err)
					}
					if _, err := Open(t.Context(), Options{Dir: dir}); !errors.Is(err, poststore.ErrUnfinishedCopy) {
						t.Errorf("open an unfinished copy: %v", err)
					}
				}
			}
			var err error
			last, err = OpenImport(t.Context(), Options{Dir: dir})
			must(t, err)
			return last
		},
		Open: func() poststore.Store {
			must(t, last.Close())
			return openAt(t, dir)
		},
	}
}

func newMemory(*testing.T) poststore.Store { return memory.New() }

func TestCopy(t *testing.T) { storetest.Copy(t, copySource, copyTarget, newMemory, 8) }

func TestCopyFromMemory(t *testing.T) {
	testenv.SkipUnderRace(t)
	storetest.Copy(t, func(*testing.T) storetest.CopySource {
		s := memory.New()
		return storetest.CopySource{Store: s, Export: func() poststore.Exporter { return s }}
	}, copyTarget, newMemory, 5)
}

func TestCopyToMemory(t *testing.T) {
	testenv.SkipUnderRace(t)
	storetest.Copy(t, copySource, func(*testing.T) storetest.CopyTarget {
		s := memory.New()
		i := memory.NewImport(s)
		return storetest.CopyTarget{Import: func() poststore.Importer { return i }, Open: func() poststore.Store { return s }}
	}, newMemory, 5)
}

func TestExportChangesNothing(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	must(t, s.Append(t.Context(), 1, []poststore.MatchedPost{{Post: earshot.Post{Source: earshot.Twitter, GUID: "a"}, Sets: []poststore.SetID{1}}}))
	must(t, s.Close())
	export, err := OpenExport(t.Context(), Options{Dir: dir})
	must(t, err)
	if err := export.Append(t.Context(), 2, nil); err == nil {
		t.Error("an append succeeds")
	}
	if err := export.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{1: {}}}); err == nil {
		t.Error("a rematch succeeds")
	}
	must(t, export.Close())
	if _, err := OpenImport(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "there are posts in "+dir+" already") {
		t.Errorf("import into a store with posts: %v", err)
	}
	if _, err := OpenExport(t.Context(), Options{Dir: t.TempDir()}); err == nil {
		t.Error("a store that does not exist can be copied")
	}
}

func TestCopyOfAChangedSourceIsRefused(t *testing.T) {
	source := memory.New()
	add := func(at earshot.Position, guid string) {
		must(t, source.Append(t.Context(), at, []poststore.MatchedPost{{Post: earshot.Post{Source: earshot.Twitter, GUID: guid}}}))
	}
	add(1, "a")
	dir := t.TempDir()
	begin := func() error {
		i, err := OpenImport(t.Context(), Options{Dir: dir})
		must(t, err)
		defer i.Close()
		_, err = storecopy.Copy(t.Context(), storecopy.Options{Source: source, Target: unaccepted{i}})
		return err
	}
	if err := begin(); !errors.Is(err, errUnaccepted) {
		t.Fatal(err)
	}
	add(2, "b")
	if err := begin(); !errors.Is(err, storecopy.ErrSourceChanged) {
		t.Errorf("got %v, want %v", err, storecopy.ErrSourceChanged)
	}
}

var errUnaccepted = errors.New("not accepted")

// unaccepted is an import that does not end.
type unaccepted struct{ poststore.Importer }

// Accept implements poststore.Importer.
func (unaccepted) Accept(context.Context) error { return errUnaccepted }
