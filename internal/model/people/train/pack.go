package train

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"math"

	"earshot/internal/model/people"
)

// A packer writes a model file. people reads what it writes.
type packer struct{ bytes.Buffer }

func (p *packer) count(n int) { p.Write(binary.AppendUvarint(nil, uint64(n))) }

func (p *packer) float(v float32) {
	p.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
}

// maxSharedPrefix is how many letters a word can be said to share with the one before:
// they are counted by capitals.
const maxSharedPrefix = 'Z' - 'A'

// list writes words that are in order.
func (p *packer) list(words []string) {
	last := ""
	for _, w := range words {
		shared := 0
		for shared < min(len(w), len(last), maxSharedPrefix) && w[shared] == last[shared] {
			shared++
		}
		p.WriteByte(byte('A' + shared))
		p.WriteString(w[shared:])
		last = w
	}
}

// pack returns the file: the version, then everything compressed.
func (p *packer) pack() ([]byte, error) {
	packed := bytes.NewBuffer([]byte{people.Version})
	w, err := flate.NewWriter(packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(p.Bytes()); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
