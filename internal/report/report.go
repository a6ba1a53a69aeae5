// Package report draws reports: a [Document] of figures, charts, tables and posts becomes a PDF file
// or an Excel workbook, and a single chart a PDF, SVG or PNG image. It needs no browser, so that
// reports can also be mailed: [Document.Mail].
//
// A document contains what is shown, already in words and numbers. Who may see what, and where the
// numbers come from, is the business of the caller. Drawing has three layers:
//
//	Document, Section, Block   what to show, and how it is divided into pages (page.go)
//	typesetter                 text to positioned glyphs: direction, fonts, shaping, lines (text.go)
//	canvas                     fills, strokes and glyphs on a PDF page, in SVG or on pixels
//
// Texts come from strangers: they are cleaned and clipped before they are drawn, and a character that
// no font has is drawn as a box. In a PDF it can still be searched and copied.
package report

import (
	"context"
	"image"
	"io"
	"time"
)

// A File is a file that is written when someone reads it.
type File struct {
	Name  string
	Type  string // content type
	Write func(ctx context.Context, w io.Writer) error
}

// A Document is a report.
type Document struct {
	Title    string
	Subtitle []string  // lines below the title: what is counted, when, and by which clock
	Created  time.Time // in the time zone of the report
	Footer   string    // at the bottom of each page, before the page number
	Paper    Paper

	// A report for somebody has a cover. The lines after the first of Subtitle are on it.
	Client     string
	Logo       image.Image // nil: none
	PreparedBy string
	Dates      string

	Sections []Section
}

// A Section is a part of a report with a heading. Its blocks are drawn below each other. A workbook
// shows Data instead.
type Section struct {
	Title  string
	Note   string
	Link   string // path of its page in the web app; empty: none
	Half   bool   // may share the width of the page with another section; ignored if it does not fit
	Blocks []Block
	Data   Table
	More   []Table // further sheets of a workbook

	// Heading means that the section begins a part of the report, to which the sections below belong.
	Heading bool
}

// A Paper is the size of the pages, in points.
type Paper struct{ Width, Height float64 }

// Sizes of paper.
var (
	A4     = Paper{595.28, 841.89}
	Letter = Paper{612, 792}
)

// A Block is part of a section. It consists of pieces that are never cut by the end of a page.
type Block interface {
	// pieces returns the pieces of the block at a width, from top to bottom.
	pieces(t *typesetter, width float64) []piece
}

// A piece is drawn on one page.
type piece struct {
	height float64
	draw   func(c canvas, x, y float64) // x and y are the upper left corner

	header *piece // repeated at the top of the page if the piece starts one
}

// A color is red, green and blue.
type color [3]uint8

// Colors of the light theme of the web app.
var (
	ink      = color{0x18, 0x20, 0x30}
	muted    = color{0x58, 0x61, 0x74}
	hairline = color{0xdf, 0xe3, 0xea}
	accent   = color{0x2b, 0x55, 0xcf}
	paleBar  = color{0xc9, 0xd6, 0xf6}
	unusual  = color{0xe0, 0x8a, 0x2c}
	white    = color{0xff, 0xff, 0xff}
)

// palette are the colors of series that have none of their own.
var palette = []string{"#3d68d8", "#e08a2c", "#2f9c74", "#b15bbd", "#c9503f", "#4aa3c7", "#8a7a2e", "#7a6be0", "#d0649a", "#5f8f3a"}

// SeriesColor returns the color of the nth series. Colors repeat after the end of the palette.
func SeriesColor(n int) string { return palette[n%len(palette)] }

// parseColor parses a color like #3d68d8. Anything else is the accent color.
func parseColor(text string) color {
	if len(text) != 7 || text[0] != '#' {
		return accent
	}
	var c color
	for i := range c {
		high, ok1 := hexDigit(text[1+2*i])
		low, ok2 := hexDigit(text[2+2*i])
		if !ok1 || !ok2 {
			return accent
		}
		c[i] = high<<4 | low
	}
	return c
}

func hexDigit(b byte) (uint8, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10, true
	}
	return 0, false
}

// mix returns a color between two: a for 0, b for 1.
func mix(a, b color, share float64) color {
	var c color
	for i := range c {
		c[i] = uint8(float64(a[i]) + (float64(b[i])-float64(a[i]))*share + 0.5)
	}
	return c
}
