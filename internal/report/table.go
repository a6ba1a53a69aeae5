package report

import (
	"fmt"
	"strconv"
	"time"

	"earshot"

	"earshot/internal/report/format"
)

// A Table has named columns. Cells are string, int64, float64, [earshot.Date] or [time.Time], as the
// column says, or nil for an unknown value.
type Table struct {
	Columns []Column
	Rows    [][]any

	// The others are about the sheet of the table in a workbook.
	Name  string // after the name of the section; empty: none
	Note  string // empty: that of the section
	Chart SheetChart
}

// A Column is a column of a table.
type Column struct {
	Name string
	Kind ColumnKind
}

// A ColumnKind determines how values are written.
type ColumnKind int

const (
	TextColumn    ColumnKind = iota
	NumberColumn             // int64: 1,220
	BigColumn                // int64, as people read it: 26.8M; in full in a workbook
	DecimalColumn            // float64: 1.25
	ShareColumn              // float64 from 0 to 1: 27%
	DateColumn               // earshot.Date: Mar 5, 2026
	TimeColumn               // time.Time: Mar 5, 2026, 2:03 PM
)

// CountCell returns the cell of a count, which is nil if a post does not state it.
func CountCell(c earshot.Count) any {
	if n, stated := c.Value(); stated {
		return n
	}
	return nil
}

// isRight reports whether values are aligned right.
func (k ColumnKind) isRight() bool {
	return k == NumberColumn || k == BigColumn || k == DecimalColumn || k == ShareColumn
}

// format writes a cell for people.
func (k ColumnKind) format(cell any) string {
	switch v := cell.(type) {
	case nil:
		return "–"
	case string:
		return v
	case int64:
		if k == BigColumn {
			return format.Compact(float64(v))
		}
		return format.Number(v)
	case float64:
		if k == ShareColumn {
			return format.Percent(v)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case earshot.Date:
		return format.Day(v)
	case time.Time:
		if v.IsZero() {
			return ""
		}
		return format.DateTime(v)
	}
	return fmt.Sprint(cell)
}

const cellLines = 3

func (b Table) pieces(t *typesetter, width float64) (list []piece) {
	if len(b.Columns) == 0 {
		return nil
	}
	widths := b.widths(t, width)
	names := make([]any, len(b.Columns))
	for i, c := range b.Columns {
		names[i] = c.Name
	}
	header := b.row(t, names, widths, style{size: 8.5, bold: true, color: muted})
	for _, row := range b.Rows {
		p := b.row(t, row, widths, bodyStyle)
		p.header = &header
		list = append(list, p)
	}
	if len(list) == 0 {
		list = append(list, header)
	}
	return list
}

const cellPadding = 4.0

// row returns a row, whose cells may have several lines.
func (b Table) row(t *typesetter, cells []any, widths []float64, s style) piece {
	lines := make([][]line, len(widths))
	height := 0.0
	for i := range widths {
		if i < len(cells) {
			lines[i] = t.layout(b.Columns[i].Kind.format(cells[i]), s, widths[i]-2*cellPadding, cellLines)
		}
		height = max(height, heightOf(lines[i]))
	}
	height += 5
	return piece{height: height, draw: func(c canvas, x, y float64) {
		at := x
		for i, w := range widths {
			for k, l := range lines[i] {
				from := at + cellPadding
				if b.Columns[i].Kind.isRight() || l.rightToLeft {
					from = at + w - cellPadding - l.width
				}
				c.text(l, from, y+2+float64(k)*l.lineHeight()+l.size)
			}
			at += w
		}
		c.stroke([]point{{x, y + height}, {at, y + height}}, strokeStyle{width: 0.4, color: hairline})
	}}
}

// widths returns the widths of the columns: as wide as the widest cell, if all of them fit.
func (b Table) widths(t *typesetter, width float64) []float64 {
	widths := make([]float64, len(b.Columns))
	const measuredRows = 500
	least, total := 30.0, 0.0
	for i, c := range b.Columns {
		widths[i] = max(least, t.width(c.Name, style{size: 8.5, bold: true})+2*cellPadding+1)
		for _, row := range b.Rows[:min(len(b.Rows), measuredRows)] {
			if i < len(row) {
				widths[i] = max(widths[i], t.width(earshot.Clip(c.Kind.format(row[i]), 120), bodyStyle)+2*cellPadding+1)
			}
		}
		total += widths[i]
	}
	texts := 0.0
	for i, c := range b.Columns {
		if !c.Kind.isRight() {
			texts += widths[i]
		}
	}
	for i, c := range b.Columns { // columns with text shrink or grow
		if !c.Kind.isRight() && texts > 0 {
			widths[i] = max(least, widths[i]*(texts+width-total)/texts)
		}
	}
	sum := 0.0
	for _, w := range widths {
		sum += w
	}
	if sum > width {
		for i := range widths {
			widths[i] *= width / sum
		}
	}
	return widths
}
