package report

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"earshot"

	"earshot/internal/report/format"
)

// XLSXType is the content type of Excel workbooks.
const XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// Limits of Excel.
const (
	maxSheetRows  = 1_048_576
	maxCellLength = 32_767 // in UTF-16 code units
	maxSheetName  = 31
	maxSheets     = 250
)

// A Workbook is an Excel workbook (ECMA-376) that is written while its rows are added, so its length
// does not matter. Text is always text: it never becomes a formula, a number or a date. Text that is
// too long for a cell is cut and ends with an ellipsis. Rows that do not fit on a sheet continue on
// another one.
type Workbook struct {
	zip     *zip.Writer
	names   []string
	columns []Column
	title   string      // of the current sheet, without the number of its continuation
	chart   *sheetChart // of the current sheet
	charts  int
	part    int // how many sheets have been begun for it
	out     *bufio.Writer
	rows    int // on the current sheet
	maxRows int
	buf     []byte
}

// NewWorkbook returns a workbook that is written to w.
func NewWorkbook(w io.Writer) *Workbook {
	return &Workbook{zip: zip.NewWriter(w), maxRows: maxSheetRows}
}

// WriteXLSX writes the data of a document as a workbook with a sheet for each section. The first sheet has
// the notes of all of them.
func (d *Document) WriteXLSX(ctx context.Context, w io.Writer) error {
	book := NewWorkbook(w)
	about := [][]any{{"Title", d.Title}}
	if d.Client != "" {
		about = append(about, []any{"Client", d.Client}, []any{"Prepared by", d.PreparedBy})
	}
	for _, line := range d.Subtitle {
		about = append(about, []any{"", line})
	}
	about = append(about, []any{"Created", format.DateTime(d.Created)})
	sheets := []Table{{Name: "Report", Columns: []Column{{Name: "Report"}, {Name: ""}}}}
	part := ""
	for _, s := range d.Sections {
		if s.Heading {
			part = " · " + s.Title
		}
		for i, table := range append([]Table{s.Data}, s.More...) {
			if len(table.Columns) == 0 {
				continue
			}
			table.Name = strings.TrimSpace(s.Title+" "+table.Name) + part
			if note := cmp.Or(table.Note, s.Note); note != "" && i == 0 {
				about = append(about, []any{table.Name, note})
			}
			sheets = append(sheets, table)
		}
	}
	sheets[0].Rows = about
	for _, table := range sheets {
		if err := book.table(ctx, table); err != nil {
			return err
		}
	}
	return book.Close()
}

// table writes a sheet with a table, and its chart.
func (b *Workbook) table(ctx context.Context, t Table) error {
	if err := b.Sheet(t.Name, t.Columns); err != nil {
		return err
	}
	for _, row := range t.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.Row(row...); err != nil {
			return err
		}
	}
	if len(t.Chart.Columns) > 0 && 0 < len(t.Rows) && len(t.Rows) <= maxChartRows {
		b.chart = &sheetChart{SheetChart: t.Chart, table: t, sheet: b.names[len(b.names)-1]}
	}
	return nil
}

// Sheet begins a sheet.
func (b *Workbook) Sheet(title string, columns []Column) error {
	if err := b.end(); err != nil {
		return err
	}
	b.title, b.columns, b.part = title, columns, 0
	return b.begin()
}

// begin begins a sheet, or its continuation.
func (b *Workbook) begin() error {
	if err := b.end(); err != nil {
		return err
	}
	if len(b.names) == maxSheets {
		return fmt.Errorf("more than %d sheets", maxSheets)
	}
	b.part++
	b.names = append(b.names, b.sheetName())
	file, err := b.zip.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", len(b.names)))
	if err != nil {
		return err
	}
	b.out, b.rows = bufio.NewWriterSize(file, 32<<10), 0
	b.out.WriteString(xmlHeader + `<worksheet xmlns="` + spreadsheet + `" xmlns:r="` + office + `"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`)
	for i, c := range b.columns {
		fmt.Fprintf(b.out, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, c.sheetWidth())
	}
	b.out.WriteString("</cols><sheetData>")
	names := make([]any, len(b.columns))
	for i, c := range b.columns {
		names[i] = c.Name
	}
	return b.row(names, headerStyle)
}

func (c Column) sheetWidth() int {
	switch c.Kind {
	case TextColumn:
		return 28
	case TimeColumn:
		return 19
	}
	return max(12, utf8.RuneCountInString(c.Name)+4)
}

// sheetName returns a name for the current sheet that Excel accepts and no other sheet has.
func (b *Workbook) sheetName() string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\`, r) || !isXMLChar(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(b.title, " "))
	clean = strings.Trim(strings.Join(strings.Fields(clean), " "), "'")
	if clean == "" || strings.EqualFold(clean, "History") { // a name that Excel reserves
		clean = "Sheet"
	}
	for n := b.part; ; n++ {
		suffix := ""
		if n > 1 {
			suffix = fmt.Sprintf(" (%d)", n)
		}
		name := strings.TrimRight(clipUTF16(clean, maxSheetName-len(suffix), ""), " ") + suffix
		if !slices.ContainsFunc(b.names, func(other string) bool { return strings.EqualFold(other, name) }) {
			return name
		}
	}
}

// Row adds a row. Its cells are as [Table] says.
func (b *Workbook) Row(cells ...any) error {
	if b.rows == b.maxRows {
		if err := b.begin(); err != nil {
			return err
		}
	}
	return b.row(cells, 0)
}

// Styles of cells: indexes of cellXfs in the styles below.
const (
	headerStyle  = 1
	numberStyle  = 2
	shareStyle   = 3
	dateStyle    = 4
	timeStyle    = 5
	decimalStyle = 6
)

const workbookStyles = `<styleSheet xmlns="` + spreadsheet + `"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="0.0%"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
	`<cellXfs count="7"><xf numFmtId="0" fontId="0"/><xf numFmtId="0" fontId="1" applyFont="1"/><xf numFmtId="3" fontId="0" applyNumberFormat="1"/><xf numFmtId="166" fontId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" applyNumberFormat="1"/><xf numFmtId="4" fontId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`

// row writes a row. style replaces the style of the cells, unless it is 0.
func (b *Workbook) row(cells []any, style int) error {
	b.rows++
	b.buf = append(b.buf[:0], `<row r="`...)
	b.buf = append(strconv.AppendInt(b.buf, int64(b.rows), 10), `">`...)
	for i, cell := range cells {
		if i < len(b.columns) {
			b.cell(i, cell, style)
		}
	}
	b.buf = append(b.buf, "</row>"...)
	_, err := b.out.Write(b.buf)
	return err
}

// cell adds a cell to the buffer. Cells without a value are left out.
func (b *Workbook) cell(column int, cell any, style int) {
	value, standard := 0.0, numberStyle
	switch v := cell.(type) {
	case int64:
		value = float64(v)
	case float64:
		if value, standard = v, decimalStyle; b.columns[column].Kind == ShareColumn {
			standard = shareStyle
		}
	case earshot.Date:
		value, standard = serialDate(v.Start(time.UTC)), dateStyle
	case time.Time:
		value, standard = serialDate(v), timeStyle
	case string:
		if v != "" {
			b.text(column, v, style)
		}
		return
	default:
		return
	}
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 && (standard == dateStyle || standard == timeStyle) {
		return
	}
	if style != 0 {
		standard = style
	}
	b.open(column, standard)
	b.buf = append(b.buf, "><v>"...)
	b.buf = strconv.AppendFloat(b.buf, value, 'f', -1, 64)
	b.buf = append(b.buf, "</v></c>"...)
}

func (b *Workbook) open(column, style int) {
	b.buf = append(append(b.buf, `<c r="`...), cellName(column, b.rows)...)
	b.buf = append(strconv.AppendInt(append(b.buf, `" s="`...), int64(style), 10), '"')
}

// text adds a cell with text.
func (b *Workbook) text(column int, text string, style int) {
	b.open(column, style)
	b.buf = append(b.buf, ` t="inlineStr"><is><t xml:space="preserve">`...)
	b.buf = appendXMLText(b.buf, clipUTF16(text, maxCellLength, "…"))
	b.buf = append(b.buf, "</t></is></c>"...)
}

// serialDate returns a local time as Excel counts: days since the end of 1899. Times before that are
// negative, which Excel does not know.
func serialDate(t time.Time) float64 {
	_, offset := t.Zone()
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	return float64(t.Unix()+int64(offset)-epoch.Unix()) / (24 * 60 * 60)
}

// cellName returns a name like A1. Columns are numbered from 0.
func cellName(column, row int) string {
	name := ""
	for column++; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name + strconv.Itoa(row)
}

// clipUTF16 cuts a text to a number of UTF-16 code units. What is cut ends with the given text.
func clipUTF16(text string, most int, end string) string {
	if len(text) <= most { // a byte is at most one unit
		return text
	}
	units := 0
	keep := 0
	for i, r := range text {
		if units <= most-utf8.RuneCountInString(end) {
			keep = i
		}
		if units += max(1, utf16.RuneLen(r)); units > most {
			return text[:keep] + end
		}
	}
	return text
}

// isXMLChar reports whether XML can contain a character.
func isXMLChar(r rune) bool {
	return r == '\t' || r == '\n' || 0x20 <= r && r <= 0xD7FF || 0xE000 <= r && r <= 0xFFFD || 0x10000 <= r && r <= 0x10FFFF
}

// appendXMLText escapes a text. Characters that XML cannot contain are left out. Excel reads _x0041_ as
// an escaped character, so an underscore that begins one is escaped itself.
func appendXMLText(b []byte, text string) []byte {
	for i, r := range text {
		switch {
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '_' && isExcelEscape(text[i:]):
			b = append(b, "_x005F_"...)
		case isXMLChar(r):
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

func isExcelEscape(text string) bool {
	if len(text) < 7 || text[1] != 'x' || text[6] != '_' {
		return false
	}
	_, err := strconv.ParseUint(text[2:6], 16, 16)
	return err == nil
}

// end ends the current sheet.
func (b *Workbook) end() error {
	if b.out == nil {
		return nil
	}
	b.out.WriteString("</sheetData>")
	if len(b.columns) > 0 {
		fmt.Fprintf(b.out, `<autoFilter ref="A1:%s"/>`, cellName(len(b.columns)-1, b.rows))
	}
	chart := b.chart
	if chart != nil {
		b.out.WriteString(`<drawing r:id="rId1"/>`)
	}
	b.out.WriteString("</worksheet>")
	err := b.out.Flush()
	b.out, b.chart = nil, nil
	if err == nil && chart != nil {
		err = b.writeChart(chart)
	}
	return err
}

// writePart writes a part of the package.
func (b *Workbook) writePart(name, text string) error {
	file, err := b.zip.Create(name)
	if err == nil {
		_, err = io.WriteString(file, xmlHeader+text)
	}
	return err
}

// relationships returns the part with the relationships of another one.
func relationships(links string) string {
	return `<Relationships xmlns="` + packages + `relationships">` + links + "</Relationships>"
}

const (
	xmlHeader   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	spreadsheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	office      = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	contents    = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	packages    = "http://schemas.openxmlformats.org/package/2006/"
)

// Close writes what is left of the workbook. A workbook needs at least one sheet.
func (b *Workbook) Close() error {
	if len(b.names) == 0 {
		if err := b.Sheet("Sheet", nil); err != nil {
			return err
		}
	}
	if err := b.end(); err != nil {
		return err
	}
	var types, sheets, links strings.Builder
	for i, name := range b.names {
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, i+1, contents)
		quoted := strings.ReplaceAll(string(appendXMLText(nil, name)), `"`, "&quot;")
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, quoted, i+1, i+1)
		fmt.Fprintf(&links, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, office, i+1)
	}
	fmt.Fprintf(&links, `<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/>`, len(b.names)+1, office)
	for n := range b.charts {
		fmt.Fprintf(&types, `<Override PartName="/xl/drawings/drawing%d.xml" ContentType="application/vnd.openxmlformats-officedocument.drawing+xml"/>`, n+1)
		fmt.Fprintf(&types, `<Override PartName="/xl/charts/chart%d.xml" ContentType="application/vnd.openxmlformats-officedocument.drawingml.chart+xml"/>`, n+1)
	}
	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", `<Types xmlns="` + packages + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="` + contents + `sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="` + contents + `styles+xml"/>` + types.String() + "</Types>"},
		{"_rels/.rels", relationships(`<Relationship Id="rId1" Type="` + office + `/officeDocument" Target="xl/workbook.xml"/>`)},
		{"xl/workbook.xml", `<workbook xmlns="` + spreadsheet + `" xmlns:r="` + office + `"><sheets>` + sheets.String() + "</sheets></workbook>"},
		{"xl/_rels/workbook.xml.rels", relationships(links.String())},
		{"xl/styles.xml", workbookStyles},
	} {
		if err := b.writePart(part.name, part.text); err != nil {
			return err
		}
	}
	return b.zip.Close()
}
