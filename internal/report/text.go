package report

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/segmenter"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// A style is how a text is drawn.
type style struct {
	size  float64
	bold  bool
	color color
}

// lineHeight is the distance of lines, relative to the font size.
const lineHeight = 1.38

func (s style) lineHeight() float64 { return s.size * lineHeight }

// A line is a text that is ready to be drawn.
type line struct {
	style
	source      string // the text as written
	runs        []run  // from left to right
	width       float64
	rightToLeft bool
}

// A run is a part of a line in one font and direction.
type run struct {
	face   *face
	glyphs []glyph
}

// A glyph is placed relative to the end of the one before. Distances are in thousandths of the font
// size.
type glyph struct {
	id      font.GID
	advance float64
	x, y    float64
	text    string // that it stands for; empty for all but the first glyph of several
}

// A typesetter turns text into lines. It must not be used concurrently.
type typesetter struct {
	faces  []*face // in the order of the font set: regular, bold, others
	shaper shaping.HarfbuzzShaper
	split  shaping.Segmenter
	breaks segmenter.Segmenter
	widths map[measured]float64
}

type measured struct {
	text string
	bold bool
}

func newTypesetter(fonts *Fonts) *typesetter {
	set := fonts.load()
	t := &typesetter{widths: map[measured]float64{}}
	t.shaper.SetFontCacheSize(8)
	for i, file := range append([]*fontFile{set.regular, set.bold}, set.others...) {
		f := &face{Face: font.NewFace(file.font), file: file, index: i, ids: map[font.GID]uint16{}}
		f.use(glyph{id: 0})
		t.faces = append(t.faces, f)
	}
	return t
}

// Limits on a text: its characters, and marks on a single letter.
const (
	maxTextLength = 4000
	maxMarks      = 4
)

// clean returns the characters of a text that can be drawn. Controls become spaces, except for line
// breaks. Characters that change the direction of what follows are removed, so that a text cannot
// disguise itself or others.
func clean(text string) []rune {
	var out []rune
	marks := 0
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n' || r == '\u2028' || r == '\u2029':
			r = '\n'
		case r == '\r' || r == '\u061C' || '\u200E' <= r && r <= '\u200F' || '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u206F' || r == '\uFEFF' || r == '\u00AD':
			continue
		case unicode.IsControl(r) || unicode.Is(unicode.Cs, r):
			r = ' '
		}
		if unicode.Is(unicode.Mn, r) {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		if out = append(out, r); len(out) == maxTextLength {
			break
		}
	}
	return out
}

// layout breaks a text into at most maxLines lines of a width. The last one ends with an ellipsis if
// the text does not fit.
func (t *typesetter) layout(text string, s style, width float64, maxLines int) []line {
	var lines []line
	runes := clean(strings.TrimSpace(text))
	for len(runes) > 0 && len(lines) < maxLines {
		paragraph := runes
		if end := slices.Index(runes, '\n'); end >= 0 {
			paragraph, runes = runes[:end], runes[end+1:]
		} else {
			runes = nil
		}
		if len(trimSpace(paragraph)) == 0 {
			continue
		}
		rightToLeft := isRightToLeft(paragraph)
		ends := t.lineEnds(paragraph, s, width)
		start := 0
		for i, end := range ends {
			part := paragraph[start:end]
			start = end
			if len(lines) == maxLines-1 && (i < len(ends)-1 || len(trimSpace(runes)) > 0) {
				return append(lines, t.ellipsis(part, s, width, rightToLeft))
			}
			lines = append(lines, t.line(trimSpace(part), s, rightToLeft))
		}
	}
	return lines
}

func (t *typesetter) single(text string, s style, width float64) line {
	text = strings.ReplaceAll(text, "\n", " ")
	if lines := t.layout(text, s, width, 1); len(lines) == 1 {
		return lines[0]
	}
	return line{style: s}
}

// lineEnds returns where the lines of a paragraph end.
func (t *typesetter) lineEnds(text []rune, s style, width float64) (ends []int) {
	t.breaks.Init(text)
	var pieces [][]rune
	for words := t.breaks.LineIterator(); words.Next(); {
		pieces = append(pieces, words.Line().Text)
	}
	at, used := 0, 0.0
	place := func(piece []rune) {
		w := t.measure(trimSpace(piece), s)
		if used+w > width && used > 0 {
			ends = append(ends, at)
			used = 0
		}
		at += len(piece)
		used += t.measure(piece, s)
	}
	for _, piece := range pieces {
		if t.measure(trimSpace(piece), s) <= width {
			place(piece)
			continue
		}
		for _, cluster := range t.clusters(piece) { // a word that is wider than the line
			place(cluster)
		}
	}
	return append(ends, at)
}

// clusters returns what a reader sees as characters.
func (t *typesetter) clusters(text []rune) (list [][]rune) {
	var s segmenter.Segmenter
	s.Init(text)
	for graphemes := s.GraphemeIterator(); graphemes.Next(); {
		list = append(list, graphemes.Grapheme().Text)
	}
	return list
}

func (t *typesetter) ellipsis(text []rune, s style, width float64, rightToLeft bool) line {
	clusters := t.clusters(trimSpace(text))
	for n := len(clusters); ; n-- {
		var kept []rune
		for _, c := range clusters[:n] {
			kept = append(kept, c...)
		}
		l := t.line(append(trimSpace(kept), '…'), s, rightToLeft)
		if l.width <= width || n == 0 {
			return l
		}
	}
}

func trimSpace(text []rune) []rune {
	for len(text) > 0 && unicode.IsSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	for len(text) > 0 && unicode.IsSpace(text[0]) {
		text = text[1:]
	}
	return text
}

// maxMeasured limits how many widths a typesetter remembers.
const maxMeasured = 20_000

func (t *typesetter) measure(text []rune, s style) float64 {
	key := measured{string(text), s.bold}
	width, ok := t.widths[key]
	if !ok {
		width = t.line(text, style{size: 1, bold: s.bold}, isRightToLeft(text)).width
		if len(t.widths) < maxMeasured {
			t.widths[key] = width
		}
	}
	return width * s.size
}

func (t *typesetter) width(text string, s style) float64 { return t.measure(clean(text), s) }

// line shapes a text.
func (t *typesetter) line(text []rune, s style, rightToLeft bool) line {
	l := line{style: s, source: string(text), rightToLeft: rightToLeft}
	for _, part := range visualOrder(levels(text, rightToLeft)) {
		l.runs = append(l.runs, t.runs(text, part, s.bold)...)
	}
	for _, r := range l.runs {
		for _, g := range r.glyphs {
			l.width += g.advance
		}
	}
	l.width *= s.size / 1000
	return l
}

// runs shapes a part of a text, font by font, and returns the runs from left to right.
func (t *typesetter) runs(text []rune, part span, bold bool) (runs []run) {
	input := shaping.Input{
		Text: text, RunStart: part.start, RunEnd: part.end, Direction: di.DirectionLTR,
		Size: fixed.I(1000), Language: "en",
	}
	if part.level%2 == 1 {
		input.Direction = di.DirectionRTL
	}
	for _, in := range t.split.Split(input, fontChoice{t, bold}) {
		in.Direction = input.Direction
		r := t.shape(in)
		if input.Direction == di.DirectionRTL {
			runs = append([]run{r}, runs...)
		} else {
			runs = append(runs, r)
		}
	}
	return runs
}

// shape turns a run of text into glyphs.
func (t *typesetter) shape(in shaping.Input) (r run) {
	text := in.Text[in.RunStart:in.RunEnd]
	r = run{face: t.faceOf(in.Face)}
	defer func() {
		if p := recover(); p != nil { // a font that the shaper cannot handle
			r = t.unshaped(r, text)
		}
	}()
	out := t.shaper.ShapeNoExtents(in)
	last := -1
	for _, g := range out.Glyphs {
		shaped := glyph{id: g.GlyphID, advance: units(g.Advance), x: units(g.XOffset), y: units(g.YOffset)}
		if g.TextIndex() != last {
			last = g.TextIndex()
			shaped.text = string(in.Text[last:min(last+g.RunesCount(), in.RunEnd)])
		}
		if shaped.text == " " { // some fonts have wide spaces
			shaped.advance = t.space()
		}
		r.glyphs = append(r.glyphs, shaped)
	}
	return r
}

// unshaped returns the glyphs of the characters of a text, one by one.
func (t *typesetter) unshaped(r run, text []rune) run {
	r.glyphs = nil
	for _, c := range text {
		id, _ := r.face.NominalGlyph(c)
		r.glyphs = append(r.glyphs, glyph{id: id, advance: r.face.width(id), text: string(c)})
	}
	return r
}

func (t *typesetter) space() float64 {
	id, _ := t.faces[0].NominalGlyph(' ')
	return t.faces[0].width(id)
}

func units(x fixed.Int26_6) float64 { return float64(x) / 64 }

func (t *typesetter) faceOf(f *font.Face) *face {
	for _, own := range t.faces {
		if own.Face == f {
			return own
		}
	}
	return t.faces[0]
}

// A fontChoice chooses a font for each character: the first one that has it.
type fontChoice struct {
	*typesetter
	bold bool
}

// ResolveFace implements [shaping.Fontmap].
func (c fontChoice) ResolveFace(r rune) *font.Face {
	main := c.faces[0]
	if c.bold {
		main = c.faces[1]
	}
	for _, f := range append([]*face{main}, c.faces[2:]...) {
		if _, ok := f.NominalGlyph(r); ok {
			return f.Face
		}
	}
	return main.Face
}

func isLetterOrDigit(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
