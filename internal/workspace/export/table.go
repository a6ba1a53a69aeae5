package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/poststore"
	"earshot/internal/report"
	"earshot/internal/workspace/postview"
)

// A table is a file with rows: CSV or an Excel workbook. A cell is a text, an int64, a time, or nil.
type table interface {
	Row(cells ...any) error
	Close() error
}

func newWorkbook(w io.Writer, columns []report.Column) (table, error) {
	book := report.NewWorkbook(w)
	return book, book.Sheet("Posts", columns)
}

// A csvTable writes rows as CSV.
type csvTable struct {
	out *csv.Writer
	row []string
}

func newCSV(w io.Writer, columns []report.Column) (table, error) {
	t := &csvTable{out: csv.NewWriter(w)}
	for _, c := range columns {
		t.row = append(t.row, c.Name)
	}
	return t, t.out.Write(t.row)
}

func (t *csvTable) Row(cells ...any) error {
	t.row = t.row[:0]
	for _, cell := range cells {
		text := ""
		switch v := cell.(type) {
		case string:
			text = escapeFormula(v)
		case int64:
			text = strconv.FormatInt(v, 10)
		case time.Time:
			text = v.Format(time.RFC3339)
		}
		t.row = append(t.row, text)
	}
	return t.out.Write(t.row)
}

func (t *csvTable) Close() error {
	t.out.Flush()
	return t.out.Error()
}

// columns are the columns of a table of posts.
var columns = []report.Column{
	{Name: "date", Kind: report.TimeColumn}, {Name: "type"}, {Name: "author"}, {Name: "authorUsername"}, {Name: "title"}, {Name: "contents"},
	{Name: "url"}, {Name: "language"}, {Name: "country"}, {Name: "state"}, {Name: "city"}, {Name: "authorGender"}, {Name: "authorAge"},
	{Name: "category"}, {Name: "emotion"}, {Name: "likes", Kind: report.NumberColumn}, {Name: "shares", Kind: report.NumberColumn},
	{Name: "comments", Kind: report.NumberColumn}, {Name: "authorFollowers", Kind: report.NumberColumn}, {Name: "hashtags"}, {Name: "guid"},
	{Name: "starred"}, {Name: "tags"}, {Name: "assignee"}, {Name: "notes"}, {Name: "interests"},
}

// cells returns the row of a post, which it redacts.
func (e *postExport) cells(p *earshot.Post) []any {
	category, emotion := e.render.Assigned(p) // before Redact removes the text
	mark := e.mark(p)
	e.service.Views.Redact(p)
	starred := ""
	if mark.Starred {
		starred = "yes"
	}
	return []any{
		dateCell(p.Time, e.monitor.Location()), string(p.Source), p.Author, p.AuthorUsername, p.Title, p.Contents,
		p.URL, p.Language, p.Place.Country, p.Place.State, p.Place.City, string(p.Gender), poststore.AgeGroup(p).String(),
		category, emotion, report.CountCell(p.Likes), report.CountCell(p.Shares),
		report.CountCell(p.Comments), report.CountCell(p.Followers), strings.Join(p.Hashtags, " "), p.GUID,
		starred, strings.Join(mark.Tags, ", "), assigneeName(mark), strings.Join(noteTexts(mark), "\n"), strings.Join(interestNames(p), ", "),
	}
}

// interestNames returns the names of the interests of a post and its author.
func interestNames(p *earshot.Post) []string {
	return jsonvalue.Map(postview.Interests(p), func(x postview.Interest) string { return x.Name })
}

// dateCell returns the cell of a time in a time zone, or nil for a redacted time.
func dateCell(at time.Time, zone *time.Location) any {
	if at.IsZero() {
		return nil
	}
	return at.In(zone)
}

// escapeFormula prevents spreadsheets from evaluating a text, or a part of it, as a formula. It puts
// an apostrophe before text that looks like one. Some spreadsheets guess another separator than the
// file uses and split a text there, so it does the same after everything they may guess.
func escapeFormula(text string) string {
	if !strings.ContainsAny(text, formulaMarks+"\t\r\n") {
		return text
	}
	var b strings.Builder
	begin := strings.TrimLeftFunc(text, unicode.IsSpace)
	if strings.ContainsAny(text[:len(text)-len(begin)], "\t\r\n") || strings.IndexAny(begin, formulaMarks) == 0 {
		b.WriteByte('\'')
	}
	for {
		end := strings.IndexAny(text, cellSeparators) + 1
		if end == 0 {
			break
		}
		b.WriteString(text[:end])
		if text = text[end:]; strings.IndexAny(text, cellSeparators) != 0 && isFormula(text) {
			b.WriteByte('\'')
		}
	}
	b.WriteString(text)
	return b.String()
}

const (
	formulaMarks   = "=+-@＝＋－＠"
	cellSeparators = ";|\t\r\n"
)

// isFormula reports whether the text after a separator looks like a formula. A plus or minus sign
// must precede an operand, so that smileys like ;-) stay as they are.
func isFormula(text string) bool {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
	mark, size := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune(formulaMarks, mark) {
		return false
	}
	operand, _ := utf8.DecodeRuneInString(text[size:])
	return !strings.ContainsRune("+-＋－", mark) || unicode.IsLetter(operand) || unicode.IsDigit(operand) || strings.ContainsRune("(=+-@\"'", operand)
}
