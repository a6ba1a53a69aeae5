package webtest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/report/pdftext"
	"earshot/internal/test/webtest/browsertest"
)

// TestExportMenu downloads the overview as PDF and Excel, and its charts as pictures. The numbers are
// those of the page.
func TestExportMenu(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	d := lastDays(t, c, id)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s&filter=language:en", id, d.query()))
	o := c.overview(id, d, "language:en")
	showsPosts(p, o.Posts)

	name := fmt.Sprintf("morvessa-%s-%s-language-en", d.start, addDays(t, d.end, -1))
	p.Click(`button "Export"`)
	checkReport(t, p.Download(func() { p.Click(`link "PDF report"`) }), name, o)
	p.Click(`button "Export"`)
	checkWorkbook(t, p.Download(func() { p.Click(`link "Excel workbook"`) }), name, o)

	prefix := fmt.Sprintf("morvessa-%s-%s", d.start, addDays(t, d.end, -1))
	for _, chart := range []struct{ title, file, text string }{
		{"Volume", "volume-day", ""}, {"Sentiment", "sentiment-day", "Negative"}, {"Words", "words", ""}, {"Locations", "countries", ""},
		{"Hashtags", "hashtags", formatNumber(o.Hashtags[0].Posts)}, {"Weekday and hour", "hours", "Sun"},
	} {
		svg, picture := downloadChart(p, chart.title, "SVG image"), downloadChart(p, chart.title, "PNG image")
		checkEqual(t, "file of "+chart.title, svg.Name+" "+picture.Name, fmt.Sprintf("%[1]s-%[2]s.svg %[1]s-%[2]s.png", prefix, chart.file))
		checkSVG(t, svg, chart.title, chart.text)
		checkPNG(t, picture)
		if folder := os.Getenv("EARSHOT_PICTURES"); folder != "" { // to look at them
			os.WriteFile(filepath.Join(folder, svg.Name), svg.Data, 0o644)
			os.WriteFile(filepath.Join(folder, picture.Name), picture.Data, 0o644)
		}
	}
	p.AxeInTurn()
}

// checkReport reads the numbers of a PDF file.
func checkReport(t *testing.T, f browsertest.File, name string, o overview) {
	t.Helper()
	checkEqual(t, "file name of the report", f.Name, name+".pdf")
	pages, err := pdftext.Pages(f.Data)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.Join(pages, "\n"), "\n")
	want := []string{"Morvessa", "Filter: language:en", formatNumber(o.Posts), formatNumber(o.Authors.Count), "#" + o.Hashtags[0].Name, formatNumber(o.Hashtags[0].Posts), o.Places.Countries[0].Name}
	for _, category := range o.Categories {
		want = append(want, formatNumber(category.Posts))
	}
	for _, text := range want {
		if !slices.Contains(lines, text) {
			t.Errorf("the report lacks %q:\n%s", text, strings.Join(lines, "\n"))
		}
	}
}

// checkWorkbook reads the numbers of an Excel workbook.
func checkWorkbook(t *testing.T, f browsertest.File, name string, o overview) {
	t.Helper()
	checkEqual(t, "file name of the workbook", f.Name, name+".xlsx")
	values := workbookValues(t, f, 4) // about the report, what happened, key figures, volume
	want := []string{"Morvessa", fmt.Sprint(o.Posts), fmt.Sprint(o.Authors.Count)}
	for _, day := range o.Days {
		want = append(want, fmt.Sprint(day.Posts))
	}
	for _, text := range want {
		if !slices.Contains(values, text) {
			t.Errorf("the workbook lacks %q: %q", text, values)
		}
	}
}

// workbookValues returns the values of all cells of the first sheets of a workbook, or of all if sheets
// is 0.
func workbookValues(t *testing.T, f browsertest.File, sheets int) (values []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(f.Data), int64(len(f.Data)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < sheets || sheets == 0; i++ {
		r, err := z.Open(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1))
		if sheets == 0 && errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		var sheet struct {
			Cells []struct {
				Value string `xml:"v"`
				Text  string `xml:"is>t"`
			} `xml:"sheetData>row>c"`
		}
		if err := xml.Unmarshal(data, &sheet); err != nil {
			t.Fatal(err)
		}
		for _, c := range sheet.Cells {
			values = append(values, c.Value+c.Text)
		}
	}
	return values
}

// checkSVG checks that a picture is an SVG document with shapes, the title, and some text.
func checkSVG(t *testing.T, f browsertest.File, title, text string) {
	t.Helper()
	var texts []string
	shapes := 0
	for d := xml.NewDecoder(bytes.NewReader(f.Data)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "path" || token.Name.Local == "rect" || token.Name.Local == "text" {
				shapes++
			}
		case xml.CharData:
			texts = append(texts, string(token))
		}
	}
	if shapes < 15 || !slices.Contains(texts, title) || text != "" && !slices.Contains(texts, text) {
		t.Errorf("%s has %d shapes and the texts %q, want the title %q and %q", f.Name, shapes, texts, title, text)
	}
	if !slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, "Morvessa · ") }) || !slices.Contains(texts, "English") {
		t.Errorf("%s does not say what it counts: %q", f.Name, texts)
	}
}

// checkPNG checks that a picture is large and shows something.
func checkPNG(t *testing.T, f browsertest.File) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(f.Data))
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	size := picture.Bounds().Size()
	drawn := 0
	for y := 240; y < size.Y; y++ { // below the caption
		for x := range size.X {
			if r, g, b, _ := picture.At(x, y).RGBA(); r>>8 < 250 || g>>8 < 250 || b>>8 < 250 {
				drawn++
			}
		}
	}
	if size.X != 2000 || drawn < 10_000 {
		t.Errorf("%s has a width of %d pixels, of which %d are drawn; want 2000 and at least 10000", f.Name, size.X, drawn)
	}
}
