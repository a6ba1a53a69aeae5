package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/report/pdftext"
)

var testFonts = NewFonts("", func(string, error) {})

func writePDF(t testing.TB, d *Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.WritePDF(t.Context(), &b, testFonts); err != nil {
		t.Fatal(err)
	}
	if name := os.Getenv("EARSHOT_REPORT_PDF"); name != "" {
		if err := os.WriteFile(name+"-"+strings.ReplaceAll(t.Name(), "/", "-")+".pdf", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// scripts are texts in every script that the embedded fonts have.
// Text from right to left is drawn from left to right, that is, backward.
var scripts = []struct{ name, text, drawn string }{
	{"Latin", "Größe, naïve, Łódź, İstanbul, Việt Nam, ﬁne office", ""},
	{"Cyrillic", "Доброе утро, ґанок, Ђорђе", ""},
	{"Greek", "Καλημέρα κόσμε, ἀρχή", ""},
	{"Arabic", "صباح الخير يا عالم 123، كيف الحال؟", "؟لاحلا فيك ،123 ملاع اي ريخلا حابص"},
	{"Hebrew", "בוקר טוב עולם 2026, מה שלומך?", "?ךמולש המ ,2026 םלוע בוט רקוב"},
	{"Devanagari", "नमस्ते दुनिया, क्षेत्र की प्रगति", ""},
	{"Chinese", "你好，世界。繁體字也可以", ""},
	{"Japanese", "おはようございます、コーヒー東京", ""},
	{"Korean", "안녕하세요 세계 커피", ""},
	{"Emoji", "Great ☕ 😀 👍🏽 👩‍👩‍👧 🇩🇪 ❤️", ""},
	{"Mixed", "Coffee קפה (חם) and قهوة 50% off!", "Coffee )םח( הפק and 50 ةوهق% off!"},
	{"Missing", "Thai กาแฟ has no font", ""},
}

// read returns the text of a PDF file, a line for each text that is drawn.
func read(t testing.TB, file []byte) []string {
	t.Helper()
	pages, err := pdftext.Pages(file)
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func TestScriptsAreReadBack(t *testing.T) {
	d := &Document{Title: "Scripts", Created: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)}
	for _, s := range scripts {
		d.Sections = append(d.Sections, Section{Title: s.name, Blocks: []Block{Text(s.text)}})
	}
	text := strings.Join(read(t, writePDF(t, d)), "\n")
	for _, s := range scripts {
		want := s.text
		if s.drawn != "" {
			want = s.drawn
		}
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("%s: %q is not in the PDF:\n%s", s.name, want, text)
		}
	}
}

// A recorded block has pieces of some heights, and records where they are drawn.
type recorded struct {
	heights []float64
	drawn   *[]place
}

type place struct {
	page        canvas
	top, bottom float64
}

func (r recorded) pieces(*typesetter, float64) (list []piece) {
	for _, height := range r.heights {
		list = append(list, piece{height: height, draw: func(c canvas, _, y float64) { *r.drawn = append(*r.drawn, place{c, y, y + height}) }})
	}
	return list
}

func TestPageBreaksCutNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, paper := range []Paper{A4, Letter} {
		d := &Document{Title: "Breaks", Paper: paper}
		var drawn []place
		pieces := 0
		for range 60 {
			heights := make([]float64, 1+random.IntN(4))
			for i := range heights {
				heights[i] = 5 + random.Float64()*400
			}
			pieces += len(heights)
			d.Sections = append(d.Sections, Section{Title: "Section", Blocks: []Block{recorded{heights, &drawn}}})
		}
		pages := read(t, writePDF(t, d))
		if len(drawn) != pieces {
			t.Errorf("%d pieces are drawn, want %d", len(drawn), pieces)
		}
		onPage := map[canvas]float64{}
		for _, p := range drawn {
			if p.top < margin || p.bottom > paper.Height-margin {
				t.Errorf("a piece is drawn from %.0f to %.0f, want within the margins of a page of %.0f", p.top, p.bottom, paper.Height)
			}
			if p.top < onPage[p.page] {
				t.Errorf("a piece is drawn from %.0f, over one that ends at %.0f", p.top, onPage[p.page])
			}
			onPage[p.page] = p.bottom
		}
		for i, page := range pages { // a heading is never the last line of a page
			if lines := strings.Split(page, "\n"); len(lines) > 1 && !strings.HasPrefix(lines[len(lines)-1], "Page ") {
				t.Errorf("page %d ends with %q, want the page number", i+1, lines[len(lines)-1])
			}
		}
	}
}

// TestWhatBelongsTogetherIsOnOnePage moves sections over the end of a page.
func TestWhatBelongsTogetherIsOnOnePage(t *testing.T) {
	table := func(rows int) Table {
		b := Table{Columns: []Column{{Name: "Country"}, {Name: "Posts", Kind: NumberColumn}}}
		for i := range rows {
			b.Rows = append(b.Rows, []any{fmt.Sprintf("row %d.", i+1), int64(i)})
		}
		return b
	}
	chart := TimeChart{Labels: []string{"Oct 19", "Oct 20"}, Kind: TimeLines, Series: []Series{{Name: "Negative", Values: []float64{0.3, 0.4}, Low: []float64{0.2, 0.3}, High: []float64{0.5, 0.6}}}, Shares: true}
	for above := 0.0; above < A4.Height; above += 23 {
		d := &Document{Title: "Report", Sections: []Section{
			{Blocks: []Block{recorded{[]float64{above}, new([]place)}}},
			{Title: "Sentiment", Blocks: []Block{chart, Bars{{Name: "Positive", Value: 1}, {Name: "Negative", Value: 2, Low: 1, High: 3}}, Note("About these bars")}},
			{Title: "Small table", Blocks: []Block{table(8)}},
			{Title: "Large table", Blocks: []Block{table(40)}},
		}}
		pages := read(t, writePDF(t, d))
		together := func(texts ...string) {
			t.Helper()
			for _, page := range pages {
				if strings.Contains(page, texts[0]) {
					for _, text := range texts {
						if !strings.Contains(page, text) {
							t.Errorf("with %.0f points above: %q is not on the page of %q:\n%s", above, text, texts[0], page)
						}
					}
				}
			}
		}
		together("Sentiment", "Oct 20", "Positive", "About these bars")
		together("Small table", "row 1.", "row 8.")
		together("Large table", "row 1.", "row 2.")
		together("row 40.", "row 39.")
	}
}

func TestTableHeadersAreRepeated(t *testing.T) {
	table := Table{Columns: []Column{{Name: "Name"}, {Name: "Posts", Kind: NumberColumn}, {Name: "Share", Kind: ShareColumn}}}
	for i := range int64(120) {
		table.Rows = append(table.Rows, []any{fmt.Sprintf("Row %d", i), i * 1000, float64(i) / 120})
	}
	pages := read(t, writePDF(t, &Document{Title: "Table", Sections: []Section{{Title: "All rows", Blocks: []Block{table}}}}))
	rows := 0
	for i, page := range pages {
		lines := strings.Split(page, "\n")
		if n := strings.Count(page, "Row "); n > 0 {
			rows += n
			if at := slices.Index(lines, "Name"); at < 0 || at > 2 {
				t.Errorf("page %d does not begin with the header:\n%s", i+1, page)
			}
		}
	}
	if rows != 120 || len(pages) < 3 {
		t.Errorf("%d rows are on %d pages, want 120 on at least 3", rows, len(pages))
	}
	if last := pages[len(pages)-1]; !strings.Contains(last, "\n119,000\n99%") {
		t.Errorf("the last page lacks 119,000 and 99%%:\n%s", last)
	}
}

func TestFileName(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(FileName("pdf", "Café & Co/..", "2026-03-01", "sentiment:negative"), "café-co-2026-03-01-sentiment-negative.pdf")
	f(FileName("pdf", "??"), "report.pdf")
}

// FuzzText draws any text. It must not panic, and what is drawn must stay within the page.
func FuzzText(f *testing.F) {
	for _, s := range scripts {
		f.Add(s.text)
	}
	for _, text := range []string{
		"", " ", "\n\n", strings.Repeat("a", 10_000), strings.Repeat("a\u0300", 500), strings.Repeat("𒐫", 300), "\u202eevil\u202c", "\u2067x", "\xff\xfe", "\x00\x1b[31m", "\xed\xa0\xbd",
		strings.Repeat("(", 200) + "א" + strings.Repeat(")", 200), "א1+2ב%", "\u200d\u200d\ufe0f", "🇩", strings.Repeat("ﷺ", 200), "\u061c\u200f", "a\tb\rc",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const width = 100
		setter := newTypesetter(testFonts)
		for _, s := range []style{bodyStyle, headingStyle} {
			lines := setter.layout(text, s, width, 5)
			if len(lines) > 5 {
				t.Errorf("%q has %d lines, want at most 5", text, len(lines))
			}
			for _, l := range lines {
				if l.width > width+0.01 && len(l.runs) > 1 {
					clusters := 0
					for _, r := range l.runs {
						clusters += len(r.glyphs)
					}
					if clusters > 12 { // a single character may be wider
						t.Errorf("%q has a line of width %.1f, want at most %d", text, l.width, width)
					}
				}
			}
		}
		d := &Document{Title: text, Subtitle: []string{text}, Footer: text, Sections: []Section{{Title: text, Note: text, Half: true, Blocks: []Block{
			Text(text), Figures{{text, text, text}}, Bars{{Name: text, Value: 1, Text: text, Note: text}}, Table{Columns: []Column{{Name: text}}, Rows: [][]any{{text}}},
			Posts{{text, text, text, text, text}}, TimeChart{Labels: []string{text, text}, Series: []Series{{Name: text}, {Name: text, Values: []float64{1}}}},
		}}}}
		if _, err := pdftext.Pages(writePDF(t, d)); err != nil {
			t.Error(err)
		}
	})
}
