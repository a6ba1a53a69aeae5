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

// tableColumns are the columns of an export as a table.
var tableColumns = []string{
	"date", "type", "author", "authorUsername", "title", "contents", "url", "language", "country", "state", "city", "authorGender", "authorAge",
	"category", "emotion", "likes", "shares", "comments", "authorFollowers", "hashtags", "guid",
}

// A tableWriter writes posts as CSV.
type tableWriter struct {
	export *export
	zone   *time.Location
	render *postview.Renderer
	out    *csv.Writer
	row    []string
}

func (e *export) newTable(w *bufio.Writer) (postWriter, error) {
	t := &tableWriter{export: e, zone: e.monitor.Location(), out: csv.NewWriter(w),
		render: e.api.Posts.NewRenderer(postview.Options{Monitor: e.monitor, Categorization: e.categorization})}
	return t, t.out.Write(tableColumns)
}

func (t *tableWriter) write(p *earshot.Post) error {
	category, emotion := t.render.Assigned(p) // before its text may be removed
	t.export.api.Posts.Redact(p)
	t.row = append(t.row[:0],
		t.date(p.Time), harmless(string(p.Source)), harmless(p.Author), harmless(p.AuthorUsername), harmless(p.Title), harmless(p.Contents),
		harmless(p.URL), p.Language, p.Place.Country, harmless(p.Place.State), harmless(p.Place.City), string(p.Gender), poststore.AgeGroup(p).String(),
		harmless(category), emotion, figure(p.Likes), figure(p.Shares), figure(p.Comments), figure(p.Followers),
		harmless(strings.Join(p.Hashtags, " ")), harmless(p.GUID),
	)
	return t.out.Write(t.row)
}

func (t *tableWriter) flush() error {
	t.out.Flush() // and the writer below it, which is a bufio.Writer too
	return t.out.Error()
}

// date spells a moment in the monitor's zone, with its offset; one that is withheld is empty.
func (t *tableWriter) date(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.zone).Format(time.RFC3339)
}

// figure spells a figure that a post states.
func figure(c earshot.Count) string {
	n, stated := c.Value()
	if !stated {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// harmless returns a text such that a spreadsheet shows it and does not compute it: what
// begins like a formula gets an apostrophe.
func harmless(text string) string {
	begin := strings.TrimLeftFunc(text, unicode.IsSpace)
	skipped := text[:len(text)-len(begin)]
	if strings.ContainsAny(skipped, "\t\r\n") || strings.IndexAny(begin, "=+-@＝＋－＠") == 0 {
		return "'" + text
	}
	return text
}
