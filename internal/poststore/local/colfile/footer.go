package colfile

import (
	"fmt"
	"maps"
	"slices"
)

// A footer lists what is in a file.
type footer struct {
	rows     uint64
	meta     map[string]string
	sections []entry
}

// encode returns the footer as it stands in the file.
func (f *footer) encode() []byte {
	b := le.AppendUint32(nil, version)
	b = le.AppendUint64(b, f.rows)
	b = le.AppendUint32(b, uint32(len(f.meta)))
	for _, key := range slices.Sorted(maps.Keys(f.meta)) {
		b = appendText(appendText(b, key), f.meta[key])
	}
	b = le.AppendUint32(b, uint32(len(f.sections)))
	for _, e := range f.sections {
		b = appendText(b, e.name)
		b = append(b, e.kind...)
		for _, v := range []uint64{e.offset, e.length, e.count, e.param[0], e.param[1], e.param[2], e.param[3]} {
			b = le.AppendUint64(b, v)
		}
		b = le.AppendUint32(b, e.crc)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(le.AppendUint32(b, uint32(len(s))), s...)
}

// decodeFooter reads what encode wrote, after the version.
func decodeFooter(b []byte) (*footer, error) {
	d := &decoder{b: b}
	f := &footer{rows: d.uint64(), meta: map[string]string{}}
	for range d.uint32() {
		if d.truncated {
			break
		}
		key := d.text()
		f.meta[key] = d.text()
	}
	for range d.uint32() {
		if d.truncated {
			break
		}
		f.sections = append(f.sections, d.entry())
	}
	if d.truncated || len(d.b) > 0 {
		return nil, fmt.Errorf("%d bytes that do not add up", len(b))
	}
	return f, nil
}

// A decoder takes values off the front of b. When b ends early, short is set and every
// value is zero.
type decoder struct {
	b         []byte
	truncated bool
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.truncated, d.b = true, nil
		return nil
	}
	head := d.b[:n]
	d.b = d.b[n:]
	return head
}

func (d *decoder) uint32() uint32 {
	if b := d.take(4); b != nil {
		return le.Uint32(b)
	}
	return 0
}

func (d *decoder) uint64() uint64 {
	if b := d.take(8); b != nil {
		return le.Uint64(b)
	}
	return 0
}

func (d *decoder) text() string { return string(d.take(uint64(d.uint32()))) }

func (d *decoder) entry() entry {
	e := entry{name: d.text(), kind: Kind(d.take(4))}
	e.offset, e.length, e.count = d.uint64(), d.uint64(), d.uint64()
	for i := range e.param {
		e.param[i] = d.uint64()
	}
	e.crc = d.uint32()
	return e
}

// check compares the footer with itself and with end, the offset it stands at. The
// sections follow one another with less than 8 bytes between them, so they can neither
// overlap nor leave anything out.
func (f *footer) check(end uint64) error {
	if f.rows > maxRows {
		return fmt.Errorf("%d rows are too many", f.rows)
	}
	names := map[string]bool{}
	at := uint64(headerSize)
	for i := range f.sections {
		e := &f.sections[i]
		if names[e.name] {
			return fmt.Errorf("two sections are called %q", e.name)
		}
		names[e.name] = true
		if e.offset != align(at) || e.offset > end || e.length > end-e.offset {
			return fmt.Errorf("section %q cannot be %d bytes at %d", e.name, e.length, e.offset)
		}
		at = e.offset + e.length
		if err := e.check(f.rows); err != nil {
			return fmt.Errorf("section %q: %w", e.name, err)
		}
	}
	if align(at) != end {
		return fmt.Errorf("the sections end at %d, not %d", align(at), end)
	}
	return nil
}

func (e *entry) check(rows uint64) error {
	f, err := codecFor(e.kind)
	if err != nil {
		return err
	}
	return f.checkEntry(e, rows)
}
