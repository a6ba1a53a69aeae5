package langid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// The file starts with the version and the number of tables, one byte each. Each table consists of
// a tableHead, the languages and their biases, the slots, and the compressed rows. Slots are stored
// as they are used: half of their bits are random, so compressing them would save only a quarter of
// the size and would cost time at every start.

// A tableHead contains the sizes of the parts of a table.
type tableHead struct {
	Script    uint8
	Languages uint8
	Buckets   uint32
	Rows      uint32
	RowBytes  uint32 // compressed size of the rows
}

const (
	codeLen  = 2 // a language is two letters, or two zero bytes
	headLen  = 14
	slotLen  = 4
	maxModel = 64 << 20
)

var errBadModel = errors.New("the language model is damaged")

// Encode returns the file that New reads.
func Encode(list []Weights) ([]byte, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	file := []byte{Version, byte(len(list))}
	for _, w := range list {
		s := slices.IndexFunc(traits[:], func(t scriptTrait) bool { return t.name == w.Script })
		if s <= 0 || traits[s].maxNGram == 0 {
			return nil, fmt.Errorf("script %q has no table", w.Script)
		}
		b, err := newTable(w)
		if err != nil {
			return nil, err
		}
		file = b.append(file, script(s), z)
	}
	return file, nil
}

func (b *table) append(file []byte, s script, z *zstd.Encoder) []byte {
	rows := z.EncodeAll(b.rows, nil)
	file, _ = binary.Append(file, binary.LittleEndian, tableHead{
		Script:    uint8(s),
		Languages: uint8(len(b.languages)),
		Buckets:   uint32(len(b.buckets)),
		Rows:      uint32(len(b.rows) / (8 * b.width)),
		RowBytes:  uint32(len(rows)),
	})
	for i, code := range b.languages {
		file = append(file, (code + "\x00\x00")[:codeLen]...)
		file = binary.LittleEndian.AppendUint32(file, uint32(b.bias[i]))
	}
	for _, u := range b.buckets {
		for _, s := range u {
			file = binary.LittleEndian.AppendUint32(file, uint32(s))
		}
	}
	return append(file, rows...)
}

func decode(file []byte) (*Model, error) {
	if len(file) < 2 || file[0] != Version {
		return nil, fmt.Errorf("%w: wrong version", errBadModel)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxModel))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	m := new(Model)
	rest := file[2:]
	for range file[1] {
		if rest, err = m.readTable(rest, z); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// readTable reads a table and returns the rest of the file.
func (m *Model) readTable(file []byte, z *zstd.Decoder) ([]byte, error) {
	var h tableHead
	if _, err := binary.Decode(file, binary.LittleEndian, &h); err != nil || !h.valid() {
		return nil, errBadModel
	}
	file = file[headLen:]
	languages, slots := int(h.Languages)*(codeLen+4), int(h.Buckets)*bucketSize*slotLen
	if len(file) < languages+slots+int(h.RowBytes) {
		return nil, errBadModel
	}
	b := &table{shift: shiftFor(int(h.Buckets)), width: (int(h.Languages) + 7) / 8}
	b.readLanguages(file[:languages])
	file = file[languages:]
	if !b.readSlots(file[:slots], h.Rows) {
		return nil, errBadModel
	}
	file = file[slots:]
	var err error
	if b.rows, err = z.DecodeAll(file[:h.RowBytes], nil); err != nil || len(b.rows) != 8*int(h.Rows)*b.width {
		return nil, fmt.Errorf("%w: decompress rows: got %d bytes, %v", errBadModel, len(b.rows), err)
	}
	m.tables[h.Script] = b
	return file[h.RowBytes:], nil
}

func (h *tableHead) valid() bool {
	return h.Script < uint8(scripts) && traits[h.Script].maxNGram > 0 &&
		h.Languages > 0 && h.Languages <= maxClasses &&
		h.Buckets > 1 && h.Buckets&(h.Buckets-1) == 0 && h.Buckets <= 1<<22
}

func (b *table) readLanguages(raw []byte) {
	codes := Codes()
	for ; len(raw) > 0; raw = raw[codeLen+4:] {
		code := string(raw[:codeLen])
		if !slices.Contains(codes, code) {
			code = ""
		}
		b.languages = append(b.languages, code)
		b.bias = append(b.bias, int32(binary.LittleEndian.Uint32(raw[codeLen:])))
	}
}

// readSlots reads the slots and reports whether they are valid.
func (b *table) readSlots(raw []byte, rows uint32) bool {
	b.buckets = make([]bucket, len(raw)/(bucketSize*slotLen))
	for i := range b.buckets {
		u := &b.buckets[i]
		from := raw[i*bucketSize*slotLen:][:bucketSize*slotLen]
		for j := range u {
			u[j] = slot(binary.LittleEndian.Uint32(from[j*slotLen:]))
		}
		if !u.valid(rows) {
			return false
		}
	}
	return true
}

// valid reports whether all slots reference existing rows and have distinct tags.
func (u *bucket) valid(rows uint32) bool {
	for i, s := range u {
		if s == 0 {
			continue
		}
		if s>>16&63 == isRow && uint32(s&0xFFFF) >= rows {
			return false
		}
		for _, before := range u[:i] {
			if before != 0 && before>>(32-tagBits) == s>>(32-tagBits) {
				return false
			}
		}
	}
	return true
}
