package report

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// A trueType has the tables of a font that a PDF needs to draw its glyphs.
type trueType struct {
	head, hhea, hmtx, maxp []byte
	glyf                   []byte
	offsets                []uint32                // of the glyphs in glyf, and the end of the last one
	programs               map[opentype.Tag][]byte // cvt, fpgm and prep, which adjust outlines to pixels
	metrics                int                     // entries of hmtx that have an advance
}

func newTrueType(l *opentype.Loader) (t trueType, err error) {
	for _, table := range []struct {
		name string
		to   *[]byte
		size int // least
	}{{"head", &t.head, 54}, {"hhea", &t.hhea, 36}, {"hmtx", &t.hmtx, 4}, {"maxp", &t.maxp, 6}, {"glyf", &t.glyf, 0}} {
		if *table.to, err = l.RawTable(opentype.MustNewTag(table.name)); err != nil {
			return t, err
		}
		if len(*table.to) < table.size {
			return t, errors.New("table " + table.name + " is too short")
		}
	}
	loca, err := l.RawTable(opentype.MustNewTag("loca"))
	if err != nil {
		return t, err
	}
	if binary.BigEndian.Uint16(t.head[50:]) == 0 {
		for ; len(loca) >= 2; loca = loca[2:] {
			t.offsets = append(t.offsets, 2*uint32(binary.BigEndian.Uint16(loca)))
		}
	} else {
		for ; len(loca) >= 4; loca = loca[4:] {
			t.offsets = append(t.offsets, binary.BigEndian.Uint32(loca))
		}
	}
	t.metrics = max(1, int(binary.BigEndian.Uint16(t.hhea[34:])))
	t.programs = map[opentype.Tag][]byte{}
	for _, name := range []string{"cvt ", "fpgm", "prep"} {
		if tag := opentype.MustNewTag(name); l.HasTable(tag) {
			if t.programs[tag], err = l.RawTable(tag); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// glyph returns the outline of a glyph. It is empty if there is none.
func (t *trueType) glyph(id font.GID) []byte {
	if int(id)+1 >= len(t.offsets) {
		return nil
	}
	start, end := t.offsets[id], t.offsets[id+1]
	if start >= end || int64(end) > int64(len(t.glyf)) {
		return nil
	}
	return t.glyf[start:end]
}

// metric returns the advance and the left side bearing of a glyph.
func (t *trueType) metric(id font.GID) (metric [4]byte) {
	advance := 4 * min(int(id), t.metrics-1)
	bearing := advance + 2
	if int(id) >= t.metrics {
		bearing = 4*t.metrics + 2*(int(id)-t.metrics)
	}
	if advance+2 <= len(t.hmtx) {
		copy(metric[:2], t.hmtx[advance:])
	}
	if bearing+2 <= len(t.hmtx) {
		copy(metric[2:], t.hmtx[bearing:bearing+2])
	}
	return metric
}

// subset returns a font file with some glyphs. They are numbered in the order given, followed by the
// glyphs that they are composed of.
func (t *trueType) subset(ids []font.GID) []byte {
	ids = slices.Clone(ids)
	numbers := map[font.GID]uint16{}
	for i, id := range ids {
		numbers[id] = uint16(i)
	}
	var glyf, loca, hmtx []byte
	for i := 0; i < len(ids); i++ { // ids grows
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		outline := slices.Clone(t.glyph(ids[i]))
		eachComponent(outline, func(at []byte) {
			id := font.GID(binary.BigEndian.Uint16(at))
			number, ok := numbers[id]
			if !ok && len(ids) < 1<<16-1 {
				number = uint16(len(ids))
				numbers[id] = number
				ids = append(ids, id)
			}
			binary.BigEndian.PutUint16(at, number)
		})
		glyf = append(glyf, outline...)
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
		metric := t.metric(ids[i])
		hmtx = append(hmtx, metric[:]...)
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	head, hhea, maxp := slices.Clone(t.head), slices.Clone(t.hhea), slices.Clone(t.maxp)
	binary.BigEndian.PutUint16(head[50:], 1) // loca has 32 bits
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(ids)))
	binary.BigEndian.PutUint16(maxp[4:], uint16(len(ids)))
	tables := []opentype.Table{
		{Tag: opentype.MustNewTag("glyf"), Content: glyf}, {Tag: opentype.MustNewTag("head"), Content: head},
		{Tag: opentype.MustNewTag("hhea"), Content: hhea}, {Tag: opentype.MustNewTag("hmtx"), Content: hmtx},
		{Tag: opentype.MustNewTag("loca"), Content: loca}, {Tag: opentype.MustNewTag("maxp"), Content: maxp},
	}
	for tag, content := range t.programs {
		tables = append(tables, opentype.Table{Tag: tag, Content: content})
	}
	for i := range tables { // tables start at multiples of four
		for len(tables[i].Content)%4 != 0 {
			tables[i].Content = append(slices.Clip(tables[i].Content), 0)
		}
	}
	slices.SortFunc(tables, func(a, b opentype.Table) int { return int(int64(a.Tag) - int64(b.Tag)) })
	return opentype.WriteTTF(tables)
}

// Flags of the components of a composite glyph.
const (
	wordArguments  = 1 << 0
	hasScale       = 1 << 3
	moreComponents = 1 << 5
	hasTwoScales   = 1 << 6
	hasMatrix      = 1 << 7
)

// eachComponent calls do with the place of each glyph number in a composite outline.
func eachComponent(outline []byte, do func(at []byte)) {
	if len(outline) < 10 || int16(binary.BigEndian.Uint16(outline)) >= 0 {
		return // not composite
	}
	for rest := outline[10:]; len(rest) >= 4; {
		flags := binary.BigEndian.Uint16(rest)
		do(rest[2:4])
		size := 6
		if flags&wordArguments != 0 {
			size += 2
		}
		switch {
		case flags&hasScale != 0:
			size += 2
		case flags&hasTwoScales != 0:
			size += 4
		case flags&hasMatrix != 0:
			size += 8
		}
		if flags&moreComponents == 0 || size > len(rest) {
			return
		}
		rest = rest[size:]
	}
}
