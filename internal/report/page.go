package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Distances on a page, in points.
const (
	margin        = 48.0
	footerHeight  = 28.0
	sectionGap    = 18.0
	columnGap     = 20.0
	blockGap      = 8.0
	maxPages      = 500
	maxPair       = 600.0 // height of sections that are next to each other
	maxSubtitle   = 6
	subtitleLines = 3
)

// Styles of headings.
var (
	titleStyle    = style{size: 20, bold: true, color: ink}
	subtitleStyle = style{size: 9.5, color: muted}
	partStyle     = style{size: 16, bold: true, color: ink}
	headingStyle  = style{size: 12.5, bold: true, color: ink}
	noteStyle     = style{size: 8.5, color: muted}
	bodyStyle     = style{size: 9, color: ink}
	smallStyle    = style{size: 8, color: muted}
)

// WritePDF writes a document as PDF. It returns an error if the context is canceled.
func (d *Document) WritePDF(ctx context.Context, w io.Writer, fonts *Fonts) error {
	t := newTypesetter(fonts)
	paper := d.Paper
	if paper == (Paper{}) {
		paper = A4
	}
	p := &pages{paper: paper}
	if d.hasCover() {
		p.list, p.y = append(p.list, d.cover(t, paper)), paper.Height
	}
	for _, part := range d.parts(t, paper.Width-2*margin) {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.place(part)
	}
	return d.write(w, t, p)
}

// pages places pieces on pages from top to bottom.
type pages struct {
	paper Paper
	list  []*pdfPage
	y     float64
}

func (p *pages) top() float64    { return margin }
func (p *pages) bottom() float64 { return p.paper.Height - margin - footerHeight + 14 }

// A part is a group of pieces that must be on the same page: the heading of a section with its first
// piece, or a further piece.
type part struct {
	gap    float64 // above it, unless it starts a page
	open   bool    // the next part follows on the same page
	pieces []piece
}

func (p part) height() (height float64) {
	for _, piece := range p.pieces {
		height += piece.height
	}
	return height
}

// place draws a part on the current page if it fits, and on a new one otherwise.
func (p *pages) place(part part) {
	if len(p.list) == 0 || p.y+part.gap+part.height() > p.bottom() && p.y > p.top() {
		if len(p.list) == maxPages {
			return
		}
		p.list = append(p.list, newPDFPage(p.paper.Height))
		p.y = p.top()
		if len(part.pieces) > 0 && part.pieces[0].header != nil {
			part.pieces = append([]piece{*part.pieces[0].header}, part.pieces...)
		}
	} else {
		p.y += part.gap
	}
	page := p.list[len(p.list)-1]
	for _, piece := range part.pieces {
		piece.draw(page, margin, p.y)
		p.y += piece.height
	}
}

func (d *Document) parts(t *typesetter, width float64) []part {
	list := []part{{}}
	if !d.hasCover() {
		list[0].pieces = []piece{d.head(t, width)}
	}
	add := func(parts ...part) {
		if last := len(list) - 1; last > 0 && len(parts) > 0 && list[last].open { // a heading stays with what follows
			list[last] = part{gap: list[last].gap, pieces: slices.Concat(list[last].pieces, []piece{space(parts[0].gap)}, parts[0].pieces)}
			parts = parts[1:]
		}
		list = append(list, parts...)
	}
	for i := 0; i < len(d.Sections); i++ {
		half := (width - columnGap) / 2
		if i+1 < len(d.Sections) && d.Sections[i].Half && d.Sections[i+1].Half {
			pair := beside(d.Sections[i].parts(t, half), d.Sections[i+1].parts(t, half), half+columnGap)
			if pair.height() <= maxPair {
				add(pair)
				i++
				continue
			}
		}
		add(d.Sections[i].parts(t, width)...)
		list[len(list)-1].open = d.Sections[i].Heading
	}
	return list
}

// beside places two sections next to each other, each as a whole.
func beside(a, b []part, distance float64) part {
	stack := func(parts []part) (pieces []piece, height float64) {
		for i, p := range parts {
			if i > 0 {
				pieces, height = append(pieces, space(p.gap)), height+p.gap
			}
			pieces, height = append(pieces, p.pieces...), height+p.height()
		}
		return pieces, height
	}
	first, height1 := stack(a)
	second, height2 := stack(b)
	draw := func(c canvas, pieces []piece, x, y float64) {
		for _, p := range pieces {
			p.draw(c, x, y)
			y += p.height
		}
	}
	return part{gap: sectionGap, pieces: []piece{{height: max(height1, height2), draw: func(c canvas, x, y float64) {
		draw(c, first, x, y)
		draw(c, second, x+distance, y)
	}}}}
}

func space(height float64) piece {
	return piece{height: height, draw: func(canvas, float64, float64) {}}
}

// head returns the title and the lines below it.
func (d *Document) head(t *typesetter, width float64) piece {
	title := t.layout(d.Title, titleStyle, width, 3)
	var lines []line
	for _, text := range d.Subtitle[:min(len(d.Subtitle), maxSubtitle)] {
		lines = append(lines, t.layout(text, subtitleStyle, width, subtitleLines)...)
	}
	titleHeight := heightOf(title)
	return piece{height: titleHeight + 3 + heightOf(lines), draw: func(c canvas, x, y float64) {
		drawLines(c, title, x, y, width)
		drawLines(c, lines, x, y+titleHeight+3, width)
	}}
}

// Limits of what is not divided between pages: rows of a table, bytes of a text, and the height of what
// stays together.
const (
	keptRows = 8
	keptText = 700
	maxKept  = 480.0
)

// isKept reports whether a block stays whole, and with what is above it: the bars below a chart belong to
// it, and a note to what it is about.
func isKept(b Block) bool {
	switch b := b.(type) {
	case Table:
		return len(b.Rows) <= keptRows
	case Text:
		return len(b) <= keptText
	case Figures, Bars, TimeChart, Heatmap, Note:
		return true
	}
	return false
}

// parts returns the parts of a section. The heading stays with the first piece, and the first two and the
// last two rows of a table stay together.
func (s *Section) parts(t *typesetter, width float64) []part {
	list := []part{{gap: sectionGap, pieces: s.heading(t, width)}}
	begun := false
	for _, block := range s.Blocks {
		pieces := block.pieces(t, width)
		for i, p := range pieces {
			next := part{pieces: []piece{p}}
			if i == 0 {
				if begun {
					next.gap = blockGap
				}
				if p.header != nil {
					next.pieces = []piece{*p.header, p}
					next.pieces[1].header = nil
				}
			}
			last := &list[len(list)-1]
			kept := isKept(block) || p.header != nil && (i == 1 || i == len(pieces)-1)
			if !begun || kept && last.height()+next.gap+next.height() <= maxKept {
				last.pieces = slices.Concat(last.pieces, []piece{space(next.gap)}, next.pieces)
			} else {
				list = append(list, next)
			}
			begun = true
		}
	}
	if len(list[0].pieces) == 0 {
		return nil
	}
	return list
}

func (s *Section) heading(t *typesetter, width float64) []piece {
	if s.Title == "" && s.Note == "" {
		return nil
	}
	shape, rule := headingStyle, strokeStyle{width: 0.6, color: hairline}
	if s.Heading {
		shape, rule = partStyle, strokeStyle{width: 2, color: accent}
	}
	title := t.layout(s.Title, shape, width, 2)
	note := t.layout(s.Note, noteStyle, width, 3)
	height := heightOf(title)
	return []piece{{height: 6 + height + heightOf(note) + 6, draw: func(c canvas, x, y float64) {
		c.stroke([]point{{x, y}, {x + width, y}}, rule)
		drawLines(c, title, x, y+6, width)
		drawLines(c, note, x, y+6+height, width)
	}}}
}

// write writes the pages with their footers.
func (d *Document) write(w io.Writer, t *typesetter, p *pages) error {
	if len(p.list) == 0 {
		p.list = append(p.list, newPDFPage(p.paper.Height))
	}
	for i, page := range p.list {
		number := t.single(fmt.Sprintf("Page %d of %d", i+1, len(p.list)), smallStyle, 100)
		y := p.paper.Height - margin + 10
		page.stroke([]point{{margin, y - 12}, {p.paper.Width - margin, y - 12}}, strokeStyle{width: 0.6, color: hairline})
		drawText(page, number, p.paper.Width-margin, y, right)
		drawText(page, t.single(d.Footer, smallStyle, p.paper.Width-2*margin-number.width-20), margin, y, left)
	}
	f := newPDFFile()
	catalog, info, tree, resources := f.reserve(), f.reserve(), f.reserve(), f.reserve()
	f.write(catalog, fmt.Sprintf("<</Type/Catalog/Pages %d 0 R/Lang(en)/ViewerPreferences<</DisplayDocTitle true>>>>", tree))
	f.write(info, fmt.Sprintf("<</Title %s/Creator(Earshot)/Producer(Earshot)/CreationDate %s>>", pdfText(string(clean(d.Title))), pdfTime(d.Created)))
	var kids, fonts strings.Builder
	for _, page := range p.list {
		object, content := f.reserve(), f.reserve()
		fmt.Fprintf(&kids, "%d 0 R ", object)
		f.write(object, fmt.Sprintf("<</Type/Page/Parent %d 0 R/MediaBox[0 0 %s %s]/Resources %d 0 R/Contents %d 0 R>>", tree, num(p.paper.Width), num(p.paper.Height), resources, content))
		if err := f.stream(content, "", page.out.Bytes()); err != nil {
			return err
		}
	}
	f.write(tree, fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(p.list), kids.String()))
	for _, face := range t.faces {
		if !usesFont(p.list, face) {
			continue
		}
		number, err := f.writeFont(face)
		if err != nil {
			return err
		}
		fmt.Fprintf(&fonts, "/F%d %d 0 R", face.index, number)
	}
	logo, err := f.writeLogo(d.Logo)
	if err != nil {
		return err
	}
	f.write(resources, fmt.Sprintf("<</Font<<%s>>/ExtGState<</Band<</ca %s>>>>%s>>", fonts.String(), num(bandOpacity), logo))
	return f.finish(w, catalog, info)
}

func usesFont(pages []*pdfPage, f *face) bool {
	for _, p := range pages {
		if p.used[f] {
			return true
		}
	}
	return false
}
