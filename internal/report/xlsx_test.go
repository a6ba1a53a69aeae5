package report

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
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

// readParts returns the parts of a package by name.
func readParts(t *testing.T, file []byte) map[string][]byte {
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
	return parts
}

// readXLSX returns the sheets of a workbook by name.
func readXLSX(t *testing.T, file []byte) map[string]*sheetFile {
	t.Helper()
	parts := readParts(t, file)
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

// TestChartsOfSheets checks that every part of a workbook with charts has a content type and is referred
// to, that every reference leads to a part, and that charts refer to the cells of their sheet.
func TestChartsOfSheets(t *testing.T) {
	days := Table{Columns: []Column{{Name: "Day", Kind: DateColumn}, {Name: "Posts", Kind: NumberColumn}}, Chart: SheetChart{Columns: []int{1}}}
	for day := 1; day <= 3; day++ {
		days.Rows = append(days.Rows, []any{earshot.Date{Year: 2026, Month: 3, Day: day}, int64(day)})
	}
	shares := Table{Name: "totals", Columns: []Column{{Name: "Label"}, {Name: "Share", Kind: ShareColumn}, {Name: "Minus", Kind: ShareColumn}, {Name: "Plus", Kind: ShareColumn}},
		Rows: [][]any{{"Positive", 0.3, 0.1, 0.2}, {"Negative", 0.7, 0.2, 0.1}}, Chart: SheetChart{Kind: BarChart, Columns: []int{1}, Minus: 2, Plus: 3}}
	lines := days
	lines.Chart = SheetChart{Kind: LineChart, Columns: []int{1}, Colors: []string{"#35a873"}}
	d := &Document{Title: "Report", Client: "Acme", PreparedBy: "Insights", Sections: []Section{
		{Title: "Anna's & Bob's volume", Note: "Peak: 3", Data: days, More: []Table{shares}}, {Title: "No chart", Data: Table{Columns: days.Columns}}, {Title: "Lines", Data: lines},
	}}
	var out bytes.Buffer
	if err := d.WriteXLSX(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	parts := readParts(t, out.Bytes())
	var types struct {
		Overrides []struct {
			Name string `xml:"PartName,attr"`
		} `xml:"Override"`
	}
	if err := xml.Unmarshal(parts["[Content_Types].xml"], &types); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, o := range types.Overrides {
		if known[o.Name[1:]] = true; parts[o.Name[1:]] == nil {
			t.Errorf("there is a content type for %s, which does not exist", o.Name)
		}
	}
	referred := map[string]bool{}
	for name, text := range parts {
		dir, file := path.Split(name)
		if !strings.HasSuffix(name, ".rels") {
			if name != "[Content_Types].xml" && !known[name] {
				t.Errorf("%s has no content type", name)
			}
			links := string(parts[dir+"_rels/"+file+".rels"])
			for _, id := range regexp.MustCompile(`r:id="(\w+)"`).FindAllStringSubmatch(string(text), -1) {
				if !strings.Contains(links, `Id="`+id[1]+`"`) {
					t.Errorf("%s refers to %s, which has no relationship", name, id[1])
				}
			}
			continue
		}
		for _, target := range regexp.MustCompile(`Target="([^"]+)"`).FindAllStringSubmatch(string(text), -1) {
			to := path.Join(dir, "..", target[1])
			if referred[to] = true; parts[to] == nil {
				t.Errorf("%s refers to %s, which does not exist", name, to)
			}
		}
	}
	for name := range known {
		if !referred[name] {
			t.Errorf("nothing refers to %s", name)
		}
	}
	for i, want := range [][]string{
		{`'Anna''s &amp; Bob''s volume'!$B$1`, `'Anna''s &amp; Bob''s volume'!$A$2:$A$4`, `'Anna''s &amp; Bob''s volume'!$B$2:$B$4`},
		{`'Anna''s &amp; Bob''s volume totals'!$B$1`, `'Anna''s &amp; Bob''s volume totals'!$D$2:$D$3`, `'Anna''s &amp; Bob''s volume totals'!$C$2:$C$3`, `'Anna''s &amp; Bob''s volume totals'!$A$2:$A$3`, `'Anna''s &amp; Bob''s volume totals'!$B$2:$B$3`},
		{`'Lines'!$B$1`, `'Lines'!$A$2:$A$4`, `'Lines'!$B$2:$B$4`},
	} {
		var got []string
		for _, f := range regexp.MustCompile(`<c:f>(.*?)</c:f>`).FindAllStringSubmatch(string(parts[fmt.Sprintf("xl/charts/chart%d.xml", i+1)]), -1) {
			got = append(got, f[1])
		}
		if !slices.Equal(got, want) {
			t.Errorf("chart %d refers to %q, want %q", i+1, got, want)
		}
	}
	about := readXLSX(t, out.Bytes())["Report"]
	for i, want := range []string{"Report ", "Title Report", "Client Acme", "Prepared by Insights", "Created Jan 1, 0001, 12:00 AM", "Anna's & Bob's volume Peak: 3"} {
		if got := about.cell(t, fmt.Sprintf("A%d", i+1)) + " " + about.cell(t, fmt.Sprintf("B%d", i+1)); got != want {
			t.Errorf("row %d of the first sheet is %q, want %q", i+1, got, want)
		}
	}
}
