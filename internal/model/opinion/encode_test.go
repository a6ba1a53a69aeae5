package opinion

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"earshot"
)

func TestAppendBinaryRoundTrip(t *testing.T) {
	ids, docs := sample(3, 15)
	m := train(t, ids, docs)
	data := encode(t, m)
	opened, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(opened.Categories, m.Categories) || !reflect.DeepEqual(opened.HeldOut(), m.HeldOut()) {
		t.Error("categories or examples differ")
	}
	if !reflect.DeepEqual(opened.Report(), m.Report()) {
		t.Errorf("the report is %+v, was %+v", opened.Report(), m.Report())
	}
	for i := range docs {
		if got, want := opened.Score(&docs[i].Post, nil), m.Score(&docs[i].Post, nil); !slices.Equal(got, want) {
			t.Fatalf("scores %v, were %v", got, want)
		}
	}
	if again := encode(t, opened); !bytes.Equal(again, data) {
		t.Error("encoding again gives different bytes")
	}
}

func TestOpenRejectsTruncatedData(t *testing.T) {
	ids, docs := sample(2, 5)
	data := encode(t, train(t, ids, docs))
	for n := range data {
		if _, err := Open(data[:n]); err == nil {
			t.Fatalf("no error for the first %d of %d bytes", n, len(data))
		}
	}
}

// FuzzOpen also fuzzes uncompressed bodies, because the checksum detects most changes to the
// compressed form.
func FuzzOpen(f *testing.F) {
	ids, docs := sample(2, 1)
	m := train(f, ids, docs)
	f.Add(encode(f, m))
	body, err := m.appendBody(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, open := range []func([]byte) (*Model, error){Open, openBody} {
			m, err := open(data)
			if err != nil {
				continue
			}
			score(t, m, "They charged me twice")
			m.Score(&earshot.Post{Contents: "again"}, nil)
			again, err := m.appendBody(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := openBody(again); err != nil {
				t.Fatalf("cannot open the encoding of an opened model: %v", err)
			}
		}
	})
}
