package manage

import (
	"bufio"
	"encoding/csv"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/workspace/postview"
)

// csvColumns are the columns of a CSV export.
var csvColumns = []string{
	"date", "type", "author", "authorUsername", "title", "contents", "url", "language", "country", "state", "city", "authorGender", "authorAge",
	"category", "emotion", "likes", "shares", "comments", "authorFollowers", "hashtags", "guid", "starred", "tags", "assignee", "notes",
}

// A csvWriter writes posts as CSV.
type csvWriter struct {
	export *export
	zone   *time.Location
	render *postview.Renderer
	out    *csv.Writer
	row    []string
}

func (e *export) newCSV(w *bufio.Writer) (postWriter, error) {
	t := &csvWriter{export: e, zone: e.monitor.Location(), out: csv.NewWriter(w),
		render: e.api.Posts.NewRenderer(postview.Options{Monitor: e.monitor, Categorization: e.categorization})}
	return t, t.out.Write(csvColumns)
}

func (t *csvWriter) write(p *earshot.Post) error {
	category, emotion := t.render.Assigned(p) // before Redact removes the text
	mark := t.export.mark(p)
	t.export.api.Posts.Redact(p)
	t.row = append(t.row[:0],
		t.date(p.Time), escapeFormula(string(p.Source)), escapeFormula(p.Author), escapeFormula(p.AuthorUsername), escapeFormula(p.Title), escapeFormula(p.Contents),
		escapeFormula(p.URL), p.Language, p.Place.Country, escapeFormula(p.Place.State), escapeFormula(p.Place.City), string(p.Gender), poststore.AgeGroup(p).String(),
		escapeFormula(category), emotion, formatCount(p.Likes), formatCount(p.Shares), formatCount(p.Comments), formatCount(p.Followers),
		escapeFormula(strings.Join(p.Hashtags, " ")), escapeFormula(p.GUID),
		formatYes(mark.Starred), escapeFormula(strings.Join(mark.Tags, ", ")), escapeFormula(assigneeName(mark)), escapeFormula(strings.Join(noteTexts(mark), "\n")),
	)
	return t.out.Write(t.row)
}

func (t *csvWriter) flush() error {
	t.out.Flush() // also flushes w, because csv.NewWriter uses a bufio.Writer as it is
	return t.out.Error()
}

// date formats a time in the monitor's time zone, with its offset. A redacted time is empty.
func (t *csvWriter) date(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.zone).Format(time.RFC3339)
}

// formatYes formats a flag. It is empty if the flag is not set.
func formatYes(set bool) string {
	if set {
		return "yes"
	}
	return ""
}

// formatCount formats a counter. It is empty if the post does not state it.
func formatCount(c earshot.Count) string {
	n, stated := c.Value()
	if !stated {
		return ""
	}
	return strconv.FormatInt(n, 10)
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
