package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"testing"
)

// packed returns judgements of one file of three rows, of which the first and last were
// judged.
func packed() []byte {
	b := []byte("ESL1\x01\x00\x00\x00\x01\x00f")
	hash := sha256.Sum256([]byte("content"))
	b = append(b, hash[:]...)
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint32(b, 2)
	b = append(b, 0b101)
	for k := range outputs {
		b = append(b, byte(k), byte(100+k))
	}
	return b
}

func TestJudgementsAreThoseOfTheirRows(t *testing.T) {
	j, err := parseJudgements(packed())
	if err != nil {
		t.Fatal(err)
	}
	f := func(row int, first byte, ok bool) {
		t.Helper()
		shares, got := j.of("f", row)
		if got != ok || shares[0] != first || ok && shares[9] != first+9 {
			t.Errorf("row %d: %v %t", row, shares, got)
		}
	}
	f(0, 0, true)
	f(1, 0, false)
	f(2, 100, true)
	f(3, 0, false)
	if _, ok := j.of("g", 0); ok {
		t.Error("a file that was not judged has judgements")
	}
}

func FuzzParseJudgements(f *testing.F) {
	f.Add(packed())
	f.Add(packed()[:50])
	f.Add(bytes.Replace(packed(), []byte{0b101}, []byte{0b111}, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := parseJudgements(data)
		if err != nil {
			return
		}
		for name, judged := range j {
			for i := range judged.places {
				j.of(name, i)
			}
		}
	})
}
