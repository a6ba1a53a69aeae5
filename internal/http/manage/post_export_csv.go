package manage

import (
	"bufio"
	"encoding/csv"
	"strconv"
	"strings"
	"time"
	"unicode"

	"earshot"
	"earshot/internal/http/postview"
	"earshot/internal/poststore"
)

// csvColumns are the columns of a CSV export.
var csvColumns = []string{
	"date", "type", "author", "authorUsername", "title", "contents", "url", "language", "country", "state", "city", "authorGender", "authorAge",
	"category", "emotion", "likes", "shares", "comments", "authorFollowers", "hashtags", "guid",
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
	t.export.api.Posts.Redact(p)
	t.row = append(t.row[:0],
		t.date(p.Time), escapeFormula(string(p.Source)), escapeFormula(p.Author), escapeFormula(p.AuthorUsername), escapeFormula(p.Title), escapeFormula(p.Contents),
		escapeFormula(p.URL), p.Language, p.Place.Country, escapeFormula(p.Place.State), escapeFormula(p.Place.City), string(p.Gender), poststore.AgeGroup(p).String(),
		escapeFormula(category), emotion, formatCount(p.Likes), formatCount(p.Shares), formatCount(p.Comments), formatCount(p.Followers),
		escapeFormula(strings.Join(p.Hashtags, " ")), escapeFormula(p.GUID),
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

// formatCount formats a counter. It is empty if the post does not state it.
func formatCount(c earshot.Count) string {
	n, stated := c.Value()
	if !stated {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// escapeFormula prevents spreadsheets from evaluating a text as a formula: it puts an apostrophe
// before text that looks like one.
func escapeFormula(text string) string {
	begin := strings.TrimLeftFunc(text, unicode.IsSpace)
	skipped := text[:len(text)-len(begin)]
	if strings.ContainsAny(skipped, "\t\r\n") || strings.IndexAny(begin, "=+-@＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}
