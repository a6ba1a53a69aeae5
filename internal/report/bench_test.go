package report

import (
	"bytes"
	"fmt"
	"testing"

	"earshot/internal/report/format"
)

// BenchmarkPDF draws a document like the report of a year: daily charts, lists, and posts in several
// scripts. It reports the size of the file.
func BenchmarkPDF(b *testing.B) {
	d := &Document{Title: "Year", Subtitle: []string{"Jan 1 – Dec 31, 2026 · all times in UTC"}}
	chart := TimeChart{Kind: TimeAreas, Stacked: true}
	for day := range 365 {
		chart.Labels = append(chart.Labels, fmt.Sprintf("Day %d", day))
	}
	for n := range 7 {
		s := Series{Name: fmt.Sprintf("Series %d", n), Color: SeriesColor(n)}
		for day := range 365 {
			s.Values = append(s.Values, float64((day*7+n*13)%100))
		}
		chart.Series = append(chart.Series, s)
	}
	var bars Bars
	for n := range 10 {
		bars = append(bars, Bar{Name: fmt.Sprintf("Name %d", n), Value: float64(n), Text: format.Number(int64(n * 1000)), Note: "10%"})
	}
	var posts Posts
	for _, s := range scripts {
		posts = append(posts, Post{Head: "News · Ann · Mar 5, 2026, 2:03 PM", Title: s.name, Text: s.text + " " + s.text, Facts: "3 likes"})
	}
	for n := range 12 {
		d.Sections = append(d.Sections, Section{Title: fmt.Sprintf("Section %d", n), Blocks: []Block{chart, bars}})
	}
	d.Sections = append(d.Sections, Section{Title: "Posts", Blocks: []Block{posts}})
	var out bytes.Buffer
	b.ReportAllocs()
	for b.Loop() {
		out.Reset()
		if err := d.WritePDF(b.Context(), &out, testFonts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "bytes/file")
}
