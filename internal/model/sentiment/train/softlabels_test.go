package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"testing"
)

// packed returns soft labels for one file of three rows, of which the first and last are labeled.
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

func TestFindSoftLabels(t *testing.T) {
	j, err := parseSoftLabels(packed())
	if err != nil {
		t.Fatal(err)
	}
	f := func(row int, first byte, ok bool) {
		t.Helper()
		probabilities, got := j.find("f", row)
		if got != ok || probabilities[0] != first || ok && probabilities[9] != first+9 {
			t.Errorf("row %d: %v %t", row, probabilities, got)
		}
	}
	f(0, 0, true)
	f(1, 0, false)
	f(2, 100, true)
	f(3, 0, false)
	if _, ok := j.find("g", 0); ok {
		t.Error("a file without labels has labels")
	}
}

func FuzzParseSoftLabels(f *testing.F) {
	f.Add(packed())
	f.Add(packed()[:50])
	f.Add(bytes.Replace(packed(), []byte{0b101}, []byte{0b111}, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := parseSoftLabels(data)
		if err != nil {
			return
		}
		for name, file := range j {
			for i := range file.index {
				j.find(name, i)
			}
		}
	})
}
