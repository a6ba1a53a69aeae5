package train

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"math"

	"earshot/internal/model/people"
)

// A packer writes a model file in the format that package people reads.
type packer struct{ bytes.Buffer }

func (p *packer) count(n int) { p.Write(binary.AppendUvarint(nil, uint64(n))) }

func (p *packer) float(v float32) {
	p.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
}

// maxSharedPrefix is the maximum length of a shared prefix, because it is encoded as a capital
// letter.
const maxSharedPrefix = 'Z' - 'A'

// list writes sorted words, prefix-compressed.
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

// pack returns the file: the version, followed by the compressed contents.
func (p *packer) pack() ([]byte, error) {
	packed := bytes.NewBuffer([]byte{people.FileVersion})
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
