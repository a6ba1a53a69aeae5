package colfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/test/testenv"
)

// textRecords returns records of various lengths.
func textRecords(rng *rand.Rand, n int) [][]byte {
	records := make([][]byte, n)
	for i := range records {
		records[i] = fmt.Appendf(nil, "record %d %s", i, strings.Repeat("text ", rng.IntN(30)))
	}
	return records
}

func runsOf(runs []Run, err error) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		for _, r := range runs {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(Run{}, err)
		}
	}
}

func copyBlobs(t *testing.T, rows int, c Compression, runs []Run) *Blobs {
	t.Helper()
	path := write(t, Options{Rows: rows, BlockSize: 1000, Compression: c}, func(w *Writer) error {
		return w.CopyBlobs("b", runsOf(runs, nil))
	})
	f := reopen(t, path)
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	return must[*Blobs](t)(f.Blobs("b"))
}

func TestCopyBlobs(t *testing.T) {
	testenv.SkipUnderRace(t)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var from []*Blobs
		var records [][][]byte
		for range 1 + rng.IntN(3) {
			records = append(records, textRecords(rng, 1+rng.IntN(300)))
			from = append(from, openCompressed(t, 1000, Compression(rng.IntN(3)), records[len(from)]))
		}
		var runs []Run
		var want [][]byte
		for range rng.IntN(40) {
			i := rng.IntN(len(from))
			lo := rng.IntN(len(records[i]) + 1)
			hi := lo + rng.IntN(len(records[i])-lo+1)
			if rng.IntN(3) == 0 {
				hi = min(lo+1, len(records[i]))
			}
			runs = append(runs, Run{from[i], uint32(lo), uint32(hi)})
			want = append(want, records[i][lo:hi]...)
		}
		checkBlobs(t, copyBlobs(t, len(want), Compression(rng.IntN(3)), runs), want)
	}
}

func TestCopyBlobsCopiesCompressedBlocks(t *testing.T) {
	records := textRecords(rand.New(rand.NewPCG(1, 1)), 500)
	from := openCompressed(t, 1000, Fast, records)
	all := copyBlobs(t, 500, Fast, []Run{{from, 0, 200}, {from, 200, 500}})
	checkBlobs(t, all, records)
	first := from.entry(0)
	if !bytes.Equal(all.stream[:first.stored], from.stream[:first.stored]) {
		t.Error("the first block was compressed again")
	}
	if all.blocks > from.blocks+1 {
		t.Errorf("got %d blocks of %d", all.blocks, from.blocks)
	}
	// Uncompressed blocks are not copied into a compressed file.
	plain := openCompressed(t, 1000, Uncompressed, records)
	if got := copyBlobs(t, 500, Fast, []Run{{plain, 0, 500}}); len(got.stream) >= len(plain.stream)/2 {
		t.Errorf("got %d bytes of %d", len(got.stream), len(plain.stream))
	}
	// Runs of single rows leave no tiny blocks.
	var rows []Run
	for row := range uint32(500) {
		rows = append(rows, Run{from, row, row + 1})
	}
	if got := copyBlobs(t, 500, Fast, rows); got.blocks > from.blocks {
		t.Errorf("got %d blocks of %d", got.blocks, from.blocks)
	}
}

func TestCopyBlobsOfCorruptFiles(t *testing.T) {
	data := readFile(t, write(t, Options{Rows: 100, BlockSize: 500, Compression: Fast}, func(w *Writer) error {
		return w.Blobs("b", withoutErrors(textRecords(rand.New(rand.NewPCG(1, 1)), 100)))
	}))
	data[headerSize+700] ^= 4 // in a block
	damaged, err := fromMemory(data)
	if err != nil {
		t.Fatal(err)
	}
	b := must[*Blobs](t)(damaged.Blobs("b"))
	for _, runs := range [][]Run{{{b, 0, 100}}, {{b, 0, 99}, {b, 99, 100}}} {
		w, err := Create(filepath.Join(t.TempDir(), "a.seg"), Options{Rows: 100, BlockSize: 500, Compression: Fast})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		var corrupt *CorruptError
		if err := w.CopyBlobs("b", runsOf(runs, nil)); !errors.As(err, &corrupt) || corrupt.Path != "memory.seg" || corrupt.Section != "b" {
			t.Errorf("got %v", err)
		}
	}
}

func TestCopyBlobsErrors(t *testing.T) {
	from := openCompressed(t, 1000, Fast, textRecords(rand.New(rand.NewPCG(1, 1)), 100))
	tests := []struct {
		name string
		runs []Run
		err  error
		want string
	}{
		{"too few rows", []Run{{from, 0, 49}}, nil, "49 records for 50 rows"},
		{"too many rows, individually", []Run{{from, 1, 2}, {from, 1, 51}}, nil, "more records than 50 rows"},
		{"too many rows, by blocks", []Run{{from, 0, 100}}, nil, "more records than 50 rows"},
		{"rows beyond the end", []Run{{from, 90, 101}}, nil, "rows 90 to 101 are out of range: the file has 100 rows"},
		{"a reversed run", []Run{{from, 9, 8}}, nil, "rows 9 to 8 are out of range: the file has 100 rows"},
		{"an error among the runs", []Run{{from, 0, 9}}, io.ErrUnexpectedEOF, "unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := Create(filepath.Join(t.TempDir(), "a.seg"), Options{Rows: 50, BlockSize: 1000, Compression: Fast})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			if err := w.CopyBlobs("b", runsOf(tt.runs, tt.err)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
