package report

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"earshot"
)

// A sheetFile is a sheet as its XML says.
type sheetFile struct {
	Rows []struct {
		Cells []struct {
			Name  string `xml:"r,attr"`
			Style int    `xml:"s,attr"`
			Type  string `xml:"t,attr"`
			Value string `xml:"v"`
			Text  string `xml:"is>t"`
			F     string `xml:"f"`
		} `xml:"c"`
	} `xml:"sheetData>row"`
	Filter struct {
		Area string `xml:"ref,attr"`
	} `xml:"autoFilter"`
}

// cell returns a cell as "style value" or as text.
func (s *sheetFile) cell(t *testing.T, name string) string {
	t.Helper()
	for _, row := range s.Rows {
		for _, c := range row.Cells {
			if c.Name != name {
				continue
			}
			if c.F != "" {
				t.Errorf("cell %s has a formula", name)
			}
			if c.Type == "inlineStr" {
				return c.Text
			}
			return string(rune('0'+c.Style)) + " " + c.Value
		}
	}
	return ""
}

// readXLSX returns the sheets of a workbook by name.
func readXLSX(t *testing.T, file []byte) map[string]*sheetFile {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if parts[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(parts[f.Name], new(struct{})); err != nil {
			t.Errorf("%s is not XML: %v", f.Name, err)
		}
	}
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := xml.Unmarshal(parts["xl/workbook.xml"], &book); err != nil {
		t.Fatal(err)
	}
	sheets := map[string]*sheetFile{}
	for i, s := range book.Sheets {
		sheet := &sheetFile{}
		if err := xml.Unmarshal(parts["xl/worksheets/sheet"+string(rune('1'+i))+".xml"], sheet); err != nil {
			t.Fatal(err)
		}
		sheets[s.Name] = sheet
	}
	return sheets
}

func TestWorkbook(t *testing.T) {
	var out bytes.Buffer
	book := NewWorkbook(&out)
	columns := []Column{{Name: "Text"}, {Name: "Number", Kind: NumberColumn}, {Name: "Share", Kind: ShareColumn}, {Name: "Day", Kind: DateColumn}, {Name: "Time", Kind: TimeColumn}}
	berlin := time.FixedZone("CET", 3600)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(book.Sheet(`A/B: "quoted" [sheet] with a very long name`, columns))
	check(book.Row("=1+1", int64(1220), 0.27, earshot.Date{Year: 2026, Month: 3, Day: 5}, time.Date(2026, 3, 5, 18, 0, 0, 0, berlin)))
	check(book.Row("<&>\x00\x1b _x0041_ \ufffe", nil, nil, earshot.Date{}, time.Time{}))
	check(book.Row(strings.Repeat("é", 40_000)))
	check(book.Sheet("History", columns[:2]))
	check(book.Sheet("history", columns[:1]))
	check(book.Close())

	sheets := readXLSX(t, out.Bytes())
	sheet := sheets[`A B "quoted" sheet with a very`]
	if len(sheets) != 3 || sheet == nil || sheets["Sheet"] == nil || sheets["Sheet (2)"] == nil {
		t.Fatalf("got sheets %v", sheets)
	}
	for _, c := range []struct{ name, want string }{
		{"A1", "Text"}, {"E1", "Time"}, {"A2", "=1+1"}, {"B2", "2 1220"}, {"C2", "3 0.27"}, {"D2", "4 46086"}, {"E2", "5 46086.75"},
		{"A3", "<&> _x005F_x0041_ "}, {"B3", ""}, {"C3", ""}, {"D3", ""}, {"E3", ""},
	} {
		if got := sheet.cell(t, c.name); got != c.want {
			t.Errorf("cell %s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := sheet.cell(t, "A4"); len([]rune(got)) != maxCellLength || !strings.HasSuffix(got, "é…") {
		t.Errorf("a long text has %d characters, want %d with an ellipsis", len([]rune(got)), maxCellLength)
	}
	if sheet.Filter.Area != "A1:E4" || sheets["Sheet (2)"].Filter.Area != "A1:A1" {
		t.Errorf("got filters %s and %s, want A1:E4 and A1:A1", sheet.Filter.Area, sheets["Sheet (2)"].Filter.Area)
	}
}

func TestLongSheetsContinue(t *testing.T) {
	var out bytes.Buffer
	book := NewWorkbook(&out)
	book.maxRows = 4
	if err := book.Sheet("Posts", []Column{{Name: "n", Kind: NumberColumn}}); err != nil {
		t.Fatal(err)
	}
	for i := range int64(7) {
		if err := book.Row(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	sheets := readXLSX(t, out.Bytes())
	for _, c := range []struct{ sheet, name, want string }{
		{"Posts", "A1", "n"}, {"Posts", "A4", "2 2"}, {"Posts (2)", "A1", "n"}, {"Posts (2)", "A2", "2 3"}, {"Posts (3)", "A2", "2 6"},
	} {
		if got := sheets[c.sheet].cell(t, c.name); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.sheet, c.name, got, c.want)
		}
	}
}
