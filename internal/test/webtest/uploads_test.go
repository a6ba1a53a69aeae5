package webtest

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/demo"
)

// survey is a CSV file whose row on line 6 is invalid. The second document spans two lines.
const survey = `Reply,Answered,Number,Mood,Remark
I like the new lid,2026-11-01 10:00,1,glad,a
"Too heavy,
and too loud",2026-11-02 11:30,2,cross,b
Fine,2026-11-03 12:00,3,glad,c
No idea,the day before yesterday,4,vague,d
Broke after a week,2026-11-05 09:15,5,cross,e
`

// letters is a JSON Lines file.
const letters = `{"guid":"letter-1","date":"2026-11-04T08:00:00Z","contents":"Dear all, it leaks"}
{"guid":"letter-2","date":"2026-11-04T09:00:00Z","contents":"Dear all, it stopped leaking"}
{"guid":"letter-3","date":"2026-11-04T10:00:00Z","contents":"Dear all, thank you"}
`

// TestUpload creates a content source, uploads a CSV file with an invalid row, drops a JSON Lines
// file, and deletes one upload and then the source.
func TestUpload(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	team, name := w.monitors[demo.Brand].Team, uniqueName("Survey ")
	documents := func() int {
		var answer struct {
			ContentSources []struct {
				Name      string
				Documents int
			}
		}
		c.get(fmt.Sprintf("/api/content/sources/list?team=%d", team), &answer)
		for _, s := range answer.ContentSources {
			if s.Name == name {
				return s.Documents
			}
		}
		return -1
	}
	p := w.signedIn(t, fmt.Sprintf("/uploads?team=%d", team))
	// counted waits until the page shows the number of documents, and compares it with the API.
	counted := func(want int) {
		t.Helper()
		p.WaitUntil(fmt.Sprintf(`[...document.querySelectorAll("[aria-label='List of content sources'] tbody tr")].some(r => r.innerText.startsWith(%s) && r.cells[1].innerText === "%d")`, quoteJS(name), want))
		if got := documents(); got != want {
			t.Errorf("the source has %d documents, the page shows %d", got, want)
		}
	}
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}

	settle(p)
	p.WaitFor(`heading /[Cc]ontent sources/`) // the button moves when the list arrives
	p.Click(`button "New content source"`)
	p.Fill(`textbox "Name"`, name)
	p.Fill(`textbox "Description"`, "What people say of the lid")
	p.AxeInTurn()
	p.Press("Enter")
	p.WaitHidden(`dialog "New content source"`)
	counted(0)

	p.Choose(`combobox "Upload to"`, name)
	waitForText(p, "These monitors cover this source and count the documents that match their queries")
	p.SetFiles(`input[type=file]`, file("picture.csv", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
	waitForText(p, "This is not a text file.")
	p.Click(`button "Choose another file"`)
	p.SetFiles(`input[type=file]`, file("answers.csv", survey))
	p.WaitFor(`combobox "Field of Reply"`)
	if text, date := p.Value(`combobox "Field of Reply"`), p.Value(`combobox "Field of Answered"`); text != "contents" || date != "date" {
		t.Errorf("suggests %q for the text and %q for the date", text, date)
	}
	checkRows(t, "first documents as suggested", rows(p, "First documents")[2:3], [][]string{row(5, "Fine", "2026-11-03T12:00:00Z")})
	p.Choose(`combobox "Field of Reply"`, "Skip")
	waitForText(p, "Choose the text column.")
	p.Choose(`combobox "Field of Reply"`, "Text (required)")
	p.Choose(`combobox "Field of Answered"`, "Skip")
	waitForText(p, "Choose the date column.")
	p.Choose(`combobox "Field of Answered"`, "Date (required)")
	p.Choose(`combobox "Field of Number"`, "ID")
	p.Choose(`combobox "Field of Mood"`, "Custom field “Mood”")
	waitForText(p, "Nov 1, 2026, 10:00 AM UTC")
	checkRows(t, "first documents", rows(p, "First documents")[1:3], [][]string{
		row(3, "Too heavy, and too loud", "2026-11-02T11:30:00Z", 2, "cross"), row(5, "Fine", "2026-11-03T12:00:00Z", 3, "glad"),
	})
	p.AxeInTurn()
	p.Click(`button "Check"`)
	waitForText(p, "4 of 5 rows can be uploaded, 1 cannot.")
	report := rows(p, "Rows that cannot be uploaded")
	if len(report) != 1 || report[0][0] != "6" || report[0][1] != "“Answered”: “the day before yesterday” is not a date in the chosen format (Year first: 2026-01-31 08:30)" {
		t.Errorf("got the report %q", report)
	}
	if documents() != 0 {
		t.Errorf("the check stored %d documents", documents())
	}
	p.AxeInTurn()
	p.Click(`button "Upload 4 valid rows"`)
	waitForText(p, "Uploaded 4 documents to "+name+". 1 row skipped.")
	counted(4)
	p.WaitFor(`link "Create a monitor for this source"`)
	p.WaitFor(fmt.Sprintf(`a[href="/monitors/%d/posts?filter=%s"]`, w.monitors[demo.Brand].ID, url.QueryEscape("source:"+name))) // it has all sources

	p.Click(`button "Choose another file"`)
	p.Drop(".drop", file("letters.ndjson", letters))
	waitForText(p, "letters.ndjson")
	p.Click(`button "Check"`)
	waitForText(p, "All 3 rows can be uploaded.")
	p.Click(`button "Upload 3 valid rows"`)
	waitForText(p, "Uploaded 3 documents to "+name+". No rows skipped.")
	counted(7)

	p.Click(`button "Delete the documents of answers.csv"`)
	p.WaitFor(`dialog "Delete the documents of answers.csv?"`)
	p.Click(`button "Cancel"`)
	p.WaitHidden(`dialog "Delete the documents of answers.csv?"`)
	p.Click(`button "Delete the documents of answers.csv"`)
	p.AxeInTurn()
	p.Click(`button "Delete documents"`)
	counted(3)
	p.Click(fmt.Sprintf(`button "Delete %s"`, name))
	p.WaitFor(fmt.Sprintf(`dialog "Delete %s?"`, name))
	p.Click(`button "Delete source and 3 documents"`)
	p.WaitUntil(fmt.Sprintf(`!document.querySelector("[aria-label='List of uploads']")?.innerText.includes("letters.ndjson") && !document.querySelector("[aria-label='Delete %s']")`, name))
	if got := documents(); got != -1 {
		t.Errorf("the source still exists, with %d documents", got)
	}
}

// TestUploadToMonitor uploads a file whose columns are recognized by their values, and creates a
// monitor for its content source.
func TestUploadToMonitor(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	team, name := w.monitors[demo.Brand].Team, uniqueName("Poll ")
	c.send("POST", "/api/content/sources", fields{"teamid": team, "name": name, "description": ""}, nil)
	path := filepath.Join(t.TempDir(), "poll.csv")
	const poll = "Submitted on,,What do you think?,Score\n" +
		"04/11/2026 09:30,web,The lid is too loud for me,high\n" +
		"14/11/2026 10:00,mail,Works as it should,low\n"
	if err := os.WriteFile(path, []byte(poll), 0o600); err != nil {
		t.Fatal(err)
	}
	p := w.signedIn(t, fmt.Sprintf("/uploads?team=%d", team))
	p.Choose(`combobox "Upload to"`, name)
	p.SetFiles(`input[type=file]`, path)
	p.WaitFor(`combobox "Field of Column 2"`)
	if got := p.Value(`combobox "Date format"`); got != "day" {
		t.Errorf("reads the dates as %q, want day first", got)
	}
	p.Choose(`combobox "Field of Score"`, "Age")
	checkRows(t, "first documents", rows(p, "First documents"), [][]string{
		row(2, "2026-11-04T09:30:00Z", "The lid is too loud for me", "high"), row(3, "2026-11-14T10:00:00Z", "Works as it should", "low"),
	})
	p.Click(`button "Check"`)
	if report := rows(p, "Rows that cannot be uploaded"); len(report) != 2 || !strings.HasPrefix(report[0][1], "“Score” ") {
		t.Errorf("got the report %q", report)
	}
	p.Choose(`combobox "Field of Score"`, "Custom field “Score”")
	p.Click(`button "Check"`)
	p.Click(`button "Upload 2 valid rows"`)
	p.WaitUntil(fmt.Sprintf(`[...document.querySelectorAll("[aria-label='List of content sources'] tbody tr")].some(r => r.innerText.startsWith(%s) && r.cells[1].innerText === "2")`, quoteJS(name)))
	p.Click(`link "Create a monitor for this source"`)
	p.WaitFor(`heading "New monitor"`)
	settle(p)
	p.Click(`button "Create monitor"`)
	p.WaitFor(fmt.Sprintf(`heading "%s"`, name))
	var m struct {
		ID       int64
		Keywords string
		Sources  []string
	}
	c.get("/manage/v1"+p.URL(), &m)
	if m.Keywords != fmt.Sprintf("source:%q", name) || len(m.Sources) != 1 || m.Sources[0] != name {
		t.Errorf("got the monitor %+v", m)
	}
	c.waitUntil("the monitor has both documents", func() bool { return c.posts(m.ID) == 2 })
}
