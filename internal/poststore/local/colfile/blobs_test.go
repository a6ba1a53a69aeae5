package colfile

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func openBlobs(t *testing.T, blockSize int, records [][]byte) *Blobs {
	t.Helper()
	return openCompressed(t, blockSize, DefaultCompression, records)
}

func openCompressed(t *testing.T, blockSize int, c Compression, records [][]byte) *Blobs {
	t.Helper()
	path := write(t, Options{Rows: len(records), BlockSize: blockSize, Compression: c}, func(w *Writer) error {
		return w.Blobs("b", withoutErrors(records))
	})
	return must[*Blobs](t)(reopen(t, path).Blobs("b"))
}

func TestBlobs(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	tests := []struct {
		name    string
		records [][]byte
		blocks  uint64
	}{
		{"no rows", nil, 0},
		{"one empty record", [][]byte{{}}, 1},
		{"one record", [][]byte{[]byte("hello")}, 1},
		{"empty records between others", [][]byte{nil, []byte("a"), nil, nil, []byte("b"), nil}, 1},
		{"a record larger than a block", [][]byte{[]byte("a"), noise, []byte("b")}, 2},
		{"many blocks", slices.Repeat([][]byte{[]byte(strings.Repeat("tweet ", 20)), nil}, 500), 15},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range []Compression{DefaultCompression, Fast, Uncompressed} {
				b := openCompressed(t, 4096, c, tt.records)
				checkBlobs(t, b, tt.records)
				if b.blocks != tt.blocks {
					t.Errorf("compression %d: got %d blocks, want %d", c, b.blocks, tt.blocks)
				}
			}
		})
	}
}

// checkBlobs reads all records in order, in reverse order, at random and with Each.
func checkBlobs(t *testing.T, b *Blobs, want [][]byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 2))
	rows := rng.Perm(len(want))
	for row := range want {
		rows = append(rows, row)
	}
	for row := range slices.Backward(want) {
		rows = append(rows, row)
	}
	r := b.Reader()
	var asked []uint32
	for _, row := range rows {
		asked = append(asked, uint32(row))
		got, err := r.Get(uint32(row))
		if err != nil || !bytes.Equal(got, want[row]) {
			t.Fatalf("row %d: got %d bytes, %v, want %d bytes", row, len(got), err, len(want[row]))
		}
	}
	visited := make([]bool, len(asked))
	err := r.Each(asked, func(i int, record []byte) error {
		if visited[i] || !bytes.Equal(record, want[asked[i]]) {
			return fmt.Errorf("row %d: visited twice or wrong record", asked[i])
		}
		visited[i] = true
		return nil
	})
	if err != nil || slices.Contains(visited, false) {
		t.Fatalf("Each: got %v, %v", err, visited)
	}
}

func TestEachReadsBlocksOnce(t *testing.T) {
	records := slices.Repeat([][]byte{[]byte(strings.Repeat("x", 100))}, 200)
	b := openBlobs(t, 1000, records)
	if b.blocks != 20 {
		t.Fatalf("got %d blocks, want 20", b.blocks)
	}
	var order []uint32
	rows := []uint32{199, 0, 150, 3, 198, 3}
	err := b.Reader().Each(rows, func(i int, _ []byte) error {
		order = append(order, rows[i])
		return nil
	})
	if want := []uint32{0, 3, 3, 150, 198, 199}; err != nil || !slices.Equal(order, want) {
		t.Errorf("got %v, %v, want %v", order, err, want)
	}
}

func TestEachReturnsErrorOfVisit(t *testing.T) {
	b := openBlobs(t, 0, [][]byte{nil, nil})
	stop := errors.New("stop")
	n := 0
	err := b.Reader().Each([]uint32{0, 1}, func(int, []byte) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("got %v after %d records, want %v after 1", err, n, stop)
	}
}

func TestGetRowOutOfRange(t *testing.T) {
	r := openBlobs(t, 0, [][]byte{[]byte("a")}).Reader()
	for _, row := range []uint32{1, 1<<32 - 1} {
		if _, err := r.Get(row); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d is out of range: the file has 1 rows", row)) {
			t.Errorf("row %d: got %v", row, err)
		}
	}
}

func TestErrorInRecords(t *testing.T) {
	w := newWriter(t, Options{Rows: 2})
	broken := errors.New("cannot be read")
	var records iter.Seq2[[]byte, error] = func(yield func([]byte, error) bool) {
		_ = yield([]byte("a"), nil) && yield(nil, broken)
	}
	if err := w.Blobs("b", records); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	if err := w.Close(); !errors.Is(err, broken) {
		t.Errorf("Close: got %v, want %v", err, broken)
	}
	checkDirectory(t, w.path)
}
