package langid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// The file is compressed, and has the version in a byte, then the tables, each as a
// tableHead, the languages and their biases, the slots and the rows. Slots are written
// as their first bytes, then their second bytes and so on, which makes them smaller.

// A tableHead says how long the parts of a table are.
type tableHead struct {
	Script    uint8
	Languages uint8
	Buckets   uint32
	Rows      uint32
}

const (
	codeLen  = 2 // a language is two letters, or two zeros
	headLen  = 10
	maxModel = 64 << 20
)

var errBadModel = errors.New("the language model is damaged")

// Encode returns the file that New reads.
func Encode(list []Weights) ([]byte, error) {
	raw := []byte{Version}
	for _, w := range list {
		s := slices.IndexFunc(traits[:], func(t scriptTrait) bool { return t.name == w.Script })
		if s <= 0 || traits[s].gram == 0 {
			return nil, fmt.Errorf("script %q has no table", w.Script)
		}
		b, err := newTable(w)
		if err != nil {
			return nil, err
		}
		raw = b.append(raw, script(s))
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return z.EncodeAll(raw, nil), nil
}

func (b *table) append(raw []byte, s script) []byte {
	raw, _ = binary.Append(raw, binary.LittleEndian, tableHead{
		Script:    uint8(s),
		Languages: uint8(len(b.languages)),
		Buckets:   uint32(len(b.slots) / bucketSize),
		Rows:      uint32(len(b.rows) / b.width),
	})
	for i, code := range b.languages {
		raw = append(raw, (code + "\x00\x00")[:codeLen]...)
		raw = binary.LittleEndian.AppendUint32(raw, uint32(b.bias[i]))
	}
	for shift := 0; shift < 32; shift += 8 {
		for _, s := range b.slots {
			raw = append(raw, byte(s>>shift))
		}
	}
	for _, w := range b.rows {
		raw = binary.LittleEndian.AppendUint64(raw, w)
	}
	return raw
}

func decode(file []byte) (*Model, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxModel))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	raw, err := z.DecodeAll(file, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBadModel, err)
	}
	if len(raw) == 0 || raw[0] != Version {
		return nil, fmt.Errorf("%w: another version", errBadModel)
	}
	m := new(Model)
	for raw = raw[1:]; len(raw) > 0; {
		if raw, err = m.readTable(raw); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// readTable reads a table, and returns what follows it.
func (m *Model) readTable(raw []byte) ([]byte, error) {
	var h tableHead
	if _, err := binary.Decode(raw, binary.LittleEndian, &h); err != nil || !h.valid() {
		return nil, errBadModel
	}
	raw = raw[headLen:]
	b := &table{shift: shiftFor(int(h.Buckets)), width: (int(h.Languages) + 7) / 8}
	languages, slots, rows := int(h.Languages)*(codeLen+4), int(h.Buckets)*bucketSize, int(h.Rows)*b.width
	if len(raw) < languages+4*slots+8*rows {
		return nil, errBadModel
	}
	b.readLanguages(raw[:languages])
	raw = raw[languages:]
	b.readSlots(raw[:4*slots])
	raw = raw[4*slots:]
	b.rows = make([]uint64, rows)
	for i := range b.rows {
		b.rows[i] = binary.LittleEndian.Uint64(raw[8*i:])
	}
	if !b.valid() {
		return nil, errBadModel
	}
	m.tables[h.Script] = b
	return raw[8*rows:], nil
}

func (h *tableHead) valid() bool {
	return h.Script < uint8(scripts) && traits[h.Script].gram > 0 &&
		h.Languages > 0 && h.Languages <= maxClasses &&
		h.Buckets > 0 && h.Buckets&(h.Buckets-1) == 0 && h.Buckets <= 1<<22
}

// valid reports whether no slot names a row that is not there.
func (b *table) valid() bool {
	rows := len(b.rows) / b.width
	for _, s := range b.slots {
		if s>>16&63 == isRow && int(s&0xFFFF) >= rows {
			return false
		}
	}
	return true
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

func (b *table) readSlots(raw []byte) {
	n := len(raw) / 4
	b.slots = make([]slot, n)
	for i := range b.slots {
		b.slots[i] = slot(raw[i]) | slot(raw[n+i])<<8 | slot(raw[2*n+i])<<16 | slot(raw[3*n+i])<<24
	}
}
