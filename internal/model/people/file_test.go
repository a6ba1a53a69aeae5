package people

import (
	"bytes"
	"testing"
)

func TestReadersRejectDamagedFiles(t *testing.T) {
	for name, read := range readers {
		for _, damaged := range [][]byte{nil, {}, {FileVersion}, {FileVersion + 1}, read.file[:len(read.file)/2], bytes.Repeat([]byte{FileVersion}, 100)} {
			if read.into(damaged) == nil {
				t.Errorf("%s: no error for %d bytes", name, len(damaged))
			}
		}
		if err := read.into(read.file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// readers are the functions that read each model file.
var readers = map[string]struct {
	file []byte
	into func([]byte) error
}{
	"names.bin":    {namesFile, func(b []byte) error { _, err := readFirstNames(b); return err }},
	"gender.bin":   {genderFile, func(b []byte) error { _, err := readWeights(b); return err }},
	"surnames.bin": {surnamesFile, func(b []byte) error { _, err := readSurnames(b); return err }},
}

func TestSizeOfFiles(t *testing.T) {
	size := len(namesFile) + len(genderFile) + len(surnamesFile)
	if size > 3<<20 {
		t.Errorf("the model files have %d bytes", size)
	}
}

// FuzzFile reads arbitrary data, which must not panic.
func FuzzFile(f *testing.F) {
	f.Add([]byte("\x03AannBbCc\x01\x02\x03\x01\x02\x03\x00"))
	f.Add([]byte("\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, unpacked []byte) {
		if len(unpacked) > 1<<16 {
			return
		}
		names := &file{rest: unpacked}
		n := names.count()
		names.list(min(n, 1<<16), func([]byte) {})
		names.bytes(n)
		names.float()
	})
}
