package chhttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/ClickHouse/ch-go/proto"
)

// TestBody reads a body several times, in pieces of different sizes.
func TestBody(t *testing.T) {
	n, text := proto.ColUInt64{1, 2, 3}, new(proto.ColStr)
	text.AppendArr([]string{"", "a", "bcd"})
	in := proto.Input{{Name: "n", Data: &n}, {Name: "text", Data: text}, {Name: "m", Data: &n}}
	var want proto.Buffer
	if err := (proto.Block{Columns: len(in), Rows: 3}).EncodeRawBlock(&want, protocol, in); err != nil {
		t.Fatal(err)
	}
	b, err := newBody(in)
	if err != nil {
		t.Fatal(err)
	}
	if b.size != int64(len(want.Buf)) {
		t.Errorf("size: got %d, want %d", b.size, len(want.Buf))
	}
	for _, r := range []io.Reader{b.open(), iotest.OneByteReader(b.open()), iotest.HalfReader(b.open())} {
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, want.Buf) {
			t.Errorf("got %q, %v, want %q", got, err, want.Buf)
		}
	}
}

// TestReleasedBody checks that a reader does not read columns after the insert, and that one which has
// read all of them still ends without an error.
func TestReleasedBody(t *testing.T) {
	n := proto.ColUInt64{1, 2, 3}
	b, err := newBody(proto.Input{{Name: "n", Data: &n}})
	if err != nil {
		t.Fatal(err)
	}
	begun, ended := b.open(), b.open()
	if _, err := io.ReadFull(begun, make([]byte, b.size-1)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(ended, make([]byte, b.size)); err != nil {
		t.Fatal(err)
	}
	b.release()
	if n, err := begun.Read(make([]byte, 1)); n != 0 || !errors.Is(err, errReleased) {
		t.Errorf("got %d bytes and %v, want %v", n, err, errReleased)
	}
	if n, err := ended.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("got %d bytes and %v, want %v", n, err, io.EOF)
	}
}

// TestInsertReleasesColumns changes columns after inserts that the server rejects before it has read
// them. The race detector finds out if the client still reads them.
func TestInsertReleasesColumns(t *testing.T) {
	c := newFake(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-ClickHouse-Exception-Code", "497")
		w.WriteHeader(http.StatusForbidden)
	})
	n := make(proto.ColUInt64, 1<<20)
	for i := range 10 {
		if err := c.Insert(t.Context(), "t", "token", proto.Input{{Name: "n", Data: &n}}); err == nil {
			t.Fatal("the insert succeeded")
		}
		for j := range n {
			n[j] = uint64(i)
		}
	}
}
