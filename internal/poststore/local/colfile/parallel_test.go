package colfile

import (
	"fmt"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// Several readers use sections for the first time concurrently.
func TestConcurrentReaders(t *testing.T) {
	path := write(t, sampleOptions(), fillSample)
	want, errs := dumpAll(reopen(t, path))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	f := must[*File](t)(Open(path))
	defer f.Close()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, errs := dumpAll(f)
			if fmt.Sprint(got) != fmt.Sprint(want) || len(errs) > 0 {
				t.Errorf("a reader got different contents, errors %v", errs)
			}
			checkUnion(t, f)
		})
	}
	wg.Wait()
}

func checkUnion(t *testing.T, f *File) {
	postings, err := f.Sets("postings")
	if err != nil {
		t.Error(err)
		return
	}
	into := roaring.New()
	postings.Or(postings.Keys(), into)
	if got := into.GetCardinality(); got != 299 {
		t.Errorf("got %d rows in a set, want 299", got)
	}
}

// A file is closed while readers come and go. A reader that has retained the file can read it.
func TestCloseWhileReading(t *testing.T) {
	path := write(t, sampleOptions(), fillSample)
	f := must[*File](t)(Open(path))
	begun := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for first := true; f.Retain(); first = false {
				if first {
					begun <- struct{}{}
				}
				u, err := f.Uints("eight")
				if err != nil || u.At(69) != 69<<57 {
					t.Errorf("got %v", err)
				}
				f.Release()
			}
		})
	}
	for range 8 {
		<-begun
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if n := f.refs.Load(); n != 0 {
		t.Errorf("got %d references, want 0", n)
	}
}
