package report

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-text/typesetting/font"
)

// A pdfFile is a PDF file (ISO 32000-1) while it is written. Objects are numbered from 1 in the order
// in which they are reserved, and may be written in any order.
type pdfFile struct {
	out     bytes.Buffer
	offsets []int // of the objects
}

func newPDFFile() *pdfFile {
	f := &pdfFile{}
	f.out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	return f
}

// reserve returns the number of a new object.
func (f *pdfFile) reserve() int {
	f.offsets = append(f.offsets, 0)
	return len(f.offsets)
}

func (f *pdfFile) write(number int, content string) {
	f.offsets[number-1] = f.out.Len()
	fmt.Fprintf(&f.out, "%d 0 obj\n%s\nendobj\n", number, content)
}

// stream writes an object with compressed data. entries are added to its dictionary.
func (f *pdfFile) stream(number int, entries string, data []byte) error {
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	f.offsets[number-1] = f.out.Len()
	fmt.Fprintf(&f.out, "%d 0 obj\n<</Length %d/Filter/FlateDecode%s>>\nstream\n", number, packed.Len(), entries)
	f.out.Write(packed.Bytes())
	f.out.WriteString("\nendstream\nendobj\n")
	return nil
}

// finish writes the table of objects.
func (f *pdfFile) finish(w io.Writer, catalog, info int) error {
	start := f.out.Len()
	fmt.Fprintf(&f.out, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, offset := range f.offsets {
		fmt.Fprintf(&f.out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&f.out, "trailer\n<</Size %d/Root %d 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, catalog, info, start)
	_, err := w.Write(f.out.Bytes())
	return err
}

// pdfText writes a text string: UTF-16 in hexadecimal.
func pdfText(text string) string {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, u := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	b.WriteByte('>')
	return b.String()
}

func pdfTime(t time.Time) string { return "(D:" + t.UTC().Format("20060102150405") + "Z)" }

// num writes a number with at most two decimals.
func num(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

// A pdfPage is a canvas whose operators make up the content of a page.
type pdfPage struct {
	height float64
	out    bytes.Buffer
	used   map[*face]bool
}

func newPDFPage(height float64) *pdfPage { return &pdfPage{height: height, used: map[*face]bool{}} }

func (p *pdfPage) op(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

func (c color) pdf() string {
	return num(float64(c[0])/255) + " " + num(float64(c[1])/255) + " " + num(float64(c[2])/255)
}

func (p *pdfPage) path(points []point) {
	for i, at := range points {
		op := "l"
		if i == 0 {
			op = "m"
		}
		p.op("%s %s %s", num(at.x), num(p.height-at.y), op)
	}
}

func (p *pdfPage) fill(shape []point, c color) {
	p.op("%s rg", c.pdf())
	p.path(shape)
	p.op("h f")
}

// shade uses the graphics state that the resources of all pages have.
func (p *pdfPage) shade(shape []point, c color) {
	p.op("q /Band gs")
	p.fill(shape, c)
	p.op("Q")
}

func (p *pdfPage) stroke(points []point, s strokeStyle) {
	if len(points) < 2 {
		return
	}
	dash := "[] 0 d"
	if s.dashed {
		dash = "[3 2] 0 d"
	}
	p.op("%s RG %s w 1 j %s", s.color.pdf(), num(s.width), dash)
	p.path(points)
	p.op("S")
}

func (p *pdfPage) text(l line, x, y float64) {
	if len(l.runs) == 0 {
		return
	}
	p.op("BT %s rg 1 0 0 1 %s %s Tm", l.color.pdf(), num(x), num(p.height-y))
	w := glyphWriter{pdfPage: p, size: l.size}
	for _, r := range l.runs {
		w.run(r)
	}
	if w.close(); w.rise != 0 {
		p.op("0 Ts")
	}
	p.op("ET")
}

// A glyphWriter shows the glyphs of a line. Between them are the differences of their advances from
// their widths. Text rise moves marks up and down.
type glyphWriter struct {
	*pdfPage
	face    *face
	size    float64
	open    bool    // within an array of glyphs
	rise    float64 // of the last glyph
	pending float64 // how far the next glyph is from where the last one ends
}

// run shows the glyphs of a run.
func (w *glyphWriter) run(r run) {
	if w.face != r.face {
		w.close()
		w.face, w.used[r.face] = r.face, true
		w.op("/F%d %s Tf", r.face.index, num(w.size))
	}
	for glyphs := r.glyphs; len(glyphs) > 0; {
		n := 1
		for n < len(glyphs) && glyphs[n].text == "" {
			n++
		}
		w.cluster(glyphs[:n])
		glyphs = glyphs[n:]
	}
}

// cluster shows the glyphs of one or more characters. If they do not stand for the same text as
// elsewhere in the document, the text is given too, for search and copying.
func (w *glyphWriter) cluster(glyphs []glyph) {
	plain := len(glyphs) == 1 && glyphs[0].id != 0
	for _, g := range glyphs {
		plain = w.face.used[w.face.use(g)].text == g.text && plain
	}
	if !plain {
		w.close()
		w.op("/Span<</ActualText %s>>BDC", pdfText(glyphs[0].text))
	}
	for _, g := range glyphs {
		w.show(g)
	}
	if !plain {
		w.close()
		w.op("EMC")
	}
}

func (w *glyphWriter) show(g glyph) {
	if g.y != w.rise {
		w.close()
		w.op("%s Ts", num(g.y*w.size/1000))
		w.rise = g.y
	}
	if !w.open {
		w.out.WriteString("[<")
		w.open = true
	}
	if shift := w.pending + g.x; math.Abs(shift) > 0.5 {
		fmt.Fprintf(&w.out, ">%s<", num(-shift))
		w.pending -= shift
	}
	number := w.face.use(g)
	fmt.Fprintf(&w.out, "%04X", number)
	w.pending += g.advance - w.face.used[number].width
}

// close ends an array of glyphs.
func (w *glyphWriter) close() {
	if w.open {
		w.op(">] TJ")
		w.open = false
	}
}

// writeFont writes the used glyphs of a font and returns the number of its object.
func (f *pdfFile) writeFont(face *face) (int, error) {
	whole, cid, descriptor, data, unicode := f.reserve(), f.reserve(), f.reserve(), f.reserve(), f.reserve()
	name := fmt.Sprintf("EARSHT+%s", strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, face.file.name))
	f.write(whole, fmt.Sprintf("<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>", name, cid, unicode))
	var widths strings.Builder
	ids := make([]font.GID, len(face.used))
	for i, g := range face.used {
		ids[i] = g.id
		widths.WriteString(num(g.width) + " ")
	}
	f.write(cid, fmt.Sprintf("<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor %d 0 R/CIDToGIDMap/Identity/DW 1000/W[0[%s]]>>", name, descriptor, widths.String()))
	scale := 1000 / float64(face.Upem())
	extents, _ := face.FontHExtents()
	f.write(descriptor, fmt.Sprintf("<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[-1000 %s 3000 %s]/ItalicAngle 0/Ascent %s/Descent %s/CapHeight 700/StemV 80/FontFile2 %d 0 R>>",
		name, num(float64(extents.Descender)*scale), num(float64(extents.Ascender)*scale), num(float64(extents.Ascender)*scale), num(float64(extents.Descender)*scale), data))
	file := face.file.tables.subset(ids)
	if err := f.stream(data, fmt.Sprintf("/Length1 %d", len(file)), file); err != nil {
		return 0, err
	}
	return whole, f.stream(unicode, "", toUnicode(face))
}

// toUnicode returns the table from glyphs to text.
func toUnicode(face *face) []byte {
	var b bytes.Buffer
	b.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo <</Registry(Adobe)/Ordering(UCS)/Supplement 0>> def /CMapName /Adobe-Identity-UCS def /CMapType 2 def\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n")
	var entries []string
	for number, g := range face.used {
		if g.text == "" {
			continue
		}
		var text strings.Builder
		for _, u := range utf16.Encode([]rune(g.text)) {
			fmt.Fprintf(&text, "%04X", u)
		}
		entries = append(entries, fmt.Sprintf("<%04X> <%s>", number, text.String()))
	}
	for len(entries) > 0 { // 100 at a time, as the format requires
		n := min(100, len(entries))
		fmt.Fprintf(&b, "%d beginbfchar\n%s\nendbfchar\n", n, strings.Join(entries[:n], "\n"))
		entries = entries[n:]
	}
	b.WriteString("endcmap CMapName currentdict /CMap defineresource pop end end\n")
	return b.Bytes()
}
