package webtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
)

// A scheduledReport is a scheduled report as the API returns it.
type scheduledReport struct {
	ID                           int64
	Name, Filter, Cron, Timezone string
	Range                        string
	Monitors, Dashboards         []struct{ ID int64 }
	Channels                     []struct{ Name string }
	Next                         []time.Time
	PDF, XLSX, Disabled          bool
}

// report returns the report with a name.
func (c *apiClient) report(name string) (found scheduledReport) {
	c.t.Helper()
	var page struct{ Items []scheduledReport }
	c.get("/manage/v1/reports?limit=1000", &page)
	for _, r := range page.Items {
		if r.Name == name {
			found = r
		}
	}
	if found.ID == 0 {
		c.t.Fatalf("there is no report %s", name)
	}
	return found
}

// nextTimes returns the next times at which a clock in a time zone shows an hour on a weekday.
func nextTimes(t *testing.T, zone string, day time.Weekday, hour, count int) (times []string) {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().In(location)
	for at := time.Date(now.Year(), now.Month(), now.Day(), hour, 0, 0, 0, location); len(times) < count; at = at.AddDate(0, 0, 1) {
		if at.After(now) && at.Weekday() == day {
			times = append(times, at.Format("Jan 2, 2006, 3:04 PM"))
		}
	}
	return times
}

// TestScheduleReport schedules a weekly report from the export menu of a monitor, with its filter, and
// sends it. The preview and the message have the numbers of the overview.
func TestScheduleReport(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, r := w.client(t), startReceiver(t)
	id := int64(w.monitors[demo.Brand].ID)
	channel, _ := c.addWebhook(w, r)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?filter=language:en", id))
	p.Click(`button "Export"`)
	p.Click(`link "Schedule a report…"`)
	p.WaitFor(`dialog "New report"`)
	p.WaitUntil(`document.activeElement.labels?.[0]?.innerText === "Name"`)
	p.WaitFor(`combobox "Send to"`)
	waitTexts(p, "dialog .picker .chip .clip", demo.Brand, "America/New_York")
	waitForText(p, "Language: English")
	p.AxeInTurn()

	name := uniqueName("Weekly ")
	p.Fill(`textbox "Name"`, name)
	p.Click(`button "Thu"`)
	p.Click(`button "Mon"`)
	p.Fill(`[type=time]`, "09:00")
	times := nextTimes(t, "America/New_York", time.Thursday, 9, 3)
	p.WaitText(`.next-times`, "Thursdays at 9:00 AM, America/New_York. Next: "+strings.Join(times, " · "))
	checkEqual(t, "dates of a weekly report", p.Value(`combobox "Dates"`), "lastweek")
	p.Type(`combobox "Send to"`, channel)
	p.Press("Enter")
	p.Click(`dialog >> button "Create"`)
	p.WaitFor(fmt.Sprintf(`heading "%s"`, name))
	settle(p)
	p.AxeInTurn()

	report := c.report(name)
	checkEqual(t, "schedule", report.Cron+" "+report.Timezone+" "+report.Range+" "+report.Filter, "0 9 * * 4 America/New_York lastweek language:en")
	waitTexts(p, ".next-list li", times...)
	if len(report.Monitors) != 1 || report.Monitors[0].ID != id || len(report.Channels) != 1 || !report.PDF || report.XLSX {
		t.Errorf("got %+v", report)
	}

	var html string
	p.Eval(`fetch(document.querySelector("iframe").src).then(r => r.text())`, &html)
	o := c.lastWeek(id, "language:en")
	if posts := formatNumber(o.Posts); o.Posts == 0 || !strings.Contains(html, ">"+posts+"<") {
		t.Errorf("the preview lacks the number of posts, %s:\n%s", posts, html)
	}

	p.Click(`button "Send now"`)
	p.Click(`dialog >> button "Send now"`)
	c.waitUntil("the report arrives", func() bool { return len(r.all()) == 1 })
	p.WaitUntil(`document.querySelector("main tbody .badge")?.innerText === "Delivered"`)
	if got := r.all(); len(got) != 1 || !strings.Contains(got[0].body, `"type":"report.ready"`) {
		t.Errorf("got %+v", got)
	}
	p.AxeInTurn()
	p.Click(`button /^Send again: /`)
	c.waitUntil("the report arrives again", func() bool { return len(r.all()) == 2 })

	p.Click(fmt.Sprintf(`button "Actions for %s"`, name))
	p.Click(`button "Pause"`)
	p.WaitUntil(`!document.querySelector(".next-list li")`)
	checkEqual(t, "the report is paused", c.report(name).Disabled, true)
	p.Click(`link "Reports"`)
	p.WaitFor(fmt.Sprintf(`link "%s"`, name))
	p.AxeInTurn()
}

// lastWeek returns the overview of last week.
func (c *apiClient) lastWeek(id int64, filter string) (o overview) {
	c.t.Helper()
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?range=lastweek&filter=%s", id, filter), &o)
	return o
}

// TestEditReport changes the schedule of a report by simple choices and by a cron expression.
func TestEditReport(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	name := uniqueName("Board ")
	id := c.create("/manage/v1/reports", fields{"team": w.monitors[demo.Brand].Team, "name": name, "dashboards": []any{w.dashboard.ID}, "cron": "30 7 * * 1-5", "timezone": "Europe/Berlin", "range": "yesterday"})
	p := w.signedIn(t, fmt.Sprintf("/signals/reports/%d", id))
	p.WaitFor(fmt.Sprintf(`heading "%s"`, name))
	waitForText(p, "Goes nowhere: choose a channel.")
	edit := func(change func(), want string) {
		t.Helper()
		p.Click(`button "Edit"`)
		p.WaitFor(`dialog [type=time], dialog input[value="0 8 1,15 * *"]`)
		change()
		p.Click(`dialog >> button "Save"`)
		p.WaitHidden(`dialog`)
		checkEqual(t, "cron expression", c.report(name).Cron, want)
	}
	edit(func() {
		waitTexts(p, `.days [aria-pressed=true]`, "Mon", "Tue", "Wed", "Thu", "Fri")
		p.Click(`button "Sat"`)
		p.AxeInTurn()
	}, "30 7 * * 1,2,3,4,5,6")
	edit(func() {
		p.Click(`button "Monthly"`)
		p.Choose(`combobox "Day of the month"`, "Last day")
		p.WaitUntil(`document.querySelector(".next-times").innerText.startsWith("On the last day of each month at 7:30 AM, Europe/Berlin. Next: ")`)
	}, "30 7 L * *")
	edit(func() {
		p.Click(`button "Custom"`)
		checkEqual(t, "cron expression to start from", p.Value(`textbox "Cron expression"`), "30 7 L * *")
		p.Expect(400, "/manage/v1/reports/schedule")
		p.Fill(`textbox "Cron expression"`, "0 8")
		p.WaitUntil(`document.querySelector(".next-times").innerText.includes("five fields")`)
		p.AxeInTurn()
		p.Fill(`textbox "Cron expression"`, "0 8 1,15 * *")
		p.WaitUntil(`document.querySelector(".next-times").innerText.startsWith("On the 1st and 15th of each month at 8:00 AM")`)
	}, "0 8 1,15 * *")

	// A form does not overwrite what a colleague has changed in the meantime.
	p.Click(`button "Edit"`)
	p.WaitFor(`dialog >> textbox "Cron expression"`)
	c.send("PATCH", fmt.Sprintf("/manage/v1/reports/%d", id), fields{"xlsx": true}, nil)
	p.Expect(409, "/manage/v1/reports/")
	p.Fill(`dialog >> textbox "Name"`, name+" 2")
	p.Click(`dialog >> button "Save"`)
	waitForText(p, "has changed the report in the meantime")
	p.Click(`button "Cancel"`)

	p.Click(fmt.Sprintf(`button "Actions for %s"`, name))
	p.Click(`button "Remove…"`)
	p.Click(`dialog >> button "Remove report"`)
	p.WaitFor(`heading "Feeds"`)
	p.WaitHidden(fmt.Sprintf(`link "%s"`, name))
}

// An atomFeed is a feed as readers see it.
type atomFeed struct {
	Title   string `xml:"title"`
	Entries []struct {
		ID    string `xml:"id"`
		Title string `xml:"title"`
	} `xml:"entry"`
}

// TestFeeds creates a feed of posts from the menu of a monitor, and one of signals. The addresses are
// shown once, work without an account, and stop working when they are revoked.
func TestFeeds(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("feedword")
	now := time.Now().UTC().Add(-time.Minute)
	var posts []fields
	for i := range 5 {
		posts = append(posts, fields{"guid": fmt.Sprintf("%s-%d", word, i), "type": "Twitter", "date": now.Add(time.Duration(i) * time.Second).Format(time.RFC3339), "contents": fmt.Sprintf("A %s number %d", word, i), "language": []string{"en", "de"}[i%2]})
	}
	c.importPosts(posts...)
	monitor := uniqueName("Feed ")
	id := c.addMonitor(w, fields{"name": monitor, "keywords": word}, 5)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?filter=language:en", id))
	p.Click(`button "More actions"`)
	p.Click(`button "Atom feed…"`)
	p.WaitFor(`dialog "New feed"`)
	waitForText(p, "Language: English")
	p.AxeInTurn()
	p.Click(`button "Create feed"`)
	p.WaitFor(`region "Address of the feed"`)
	address := p.Text(`region "Address of the feed"`)
	p.AxeInTurn()
	p.Click(`dialog footer button`)
	if !strings.HasPrefix(address, w.site+"/feed/v1/") {
		t.Fatalf("got the address %q", address)
	}
	feed := readFeed(t, address)
	if len(feed.Entries) != 3 {
		t.Errorf("got %d entries, want the 3 English posts: %+v", len(feed.Entries), feed)
	}

	p.Visit("/signals/reports")
	p.Click(`button "New feed"`)
	p.Click(`button "Signals"`)
	signals := uniqueName("All signals ")
	p.Fill(`textbox "Name"`, signals)
	p.Click(`button "Create feed"`)
	readFeed(t, p.Text(`region "Address of the feed"`))
	p.Click(`dialog footer button`)
	p.WaitFor(fmt.Sprintf(`button "Revoke %s"`, signals))
	table := rows(p, "Feeds")
	contents := map[string]string{}
	for _, row := range table {
		contents[row[0]] = row[1]
	}
	checkEqual(t, "contents", contents["Posts of "+monitor]+", "+contents[signals], "Posts of "+monitor+" · filtered, Signals of all monitors")
	if shown := p.Text("main"); strings.Contains(shown, "/feed/v1/") {
		t.Errorf("the page shows an address: %s", shown)
	}

	p.Click(fmt.Sprintf(`button "Revoke Posts of %s"`, monitor))
	p.Click(`dialog >> button "Revoke"`)
	p.WaitHidden(`dialog`)
	p.WaitHidden(fmt.Sprintf(`button "Revoke Posts of %s"`, monitor))
	if status, body := c.request("GET", address, nil); status != http.StatusNotFound {
		t.Errorf("got %d %s from a revoked feed", status, body)
	}
}

// readFeed returns the feed at an address.
func readFeed(t *testing.T, address string) (f atomFeed) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("got %s %v: %s", res.Status, err, data)
	}
	if err := xml.Unmarshal(data, &f); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return f
}

// TestReportForAClient creates a report with a new client, whose logo it uploads, and competitors, and then
// adds a chart to it from the overview with the keyboard.
func TestReportForAClient(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand, rival := w.monitors[demo.Brand], w.monitors[demo.FirstRival]
	logo, drawing := filepath.Join(t.TempDir(), "logo.png"), filepath.Join(t.TempDir(), "logo.svg")
	var picture bytes.Buffer
	if err := errors.Join(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 60, 20))), os.WriteFile(logo, picture.Bytes(), 0o644), os.WriteFile(drawing, []byte("<svg/>"), 0o644)); err != nil {
		t.Fatal(err)
	}
	p := w.signedIn(t, fmt.Sprintf("/signals/reports?new=1&monitor=%d", brand.ID))
	name, client := uniqueName("For a client "), uniqueName("Client ")
	p.Fill(`textbox "Name"`, name)
	p.Click(fmt.Sprintf(`group "Compare with" >> button "%s"`, demo.FirstRival))
	p.Choose(`combobox "Report for"`, "New client…")
	p.Fill(`textbox "Name of the client"`, client)
	p.Click(`checkbox "Use for new reports and exports of the team"`) // other tests share the team
	p.Expect(400, "/manage/v1/clients")
	p.SetFiles(`[type=file]`, drawing)
	p.WaitUntil(`document.querySelector("[type=file]").files.length === 1`)
	p.Click(`dialog >> button "Create"`)
	waitForText(p, "Logo must be a PNG or JPEG picture")
	p.SetFiles(`[type=file]`, logo)
	p.AxeInTurn()
	p.Click(`dialog >> button "Create"`)
	p.WaitFor(fmt.Sprintf(`heading "%s"`, name))

	p.Visit(fmt.Sprintf("/monitors/%d?range=lastweek", brand.ID))
	p.WaitFor(`button "Volume: add to report"`)
	p.Eval(`document.querySelector("[aria-label='Volume: add to report']").focus()`, nil)
	p.Press("Enter")
	p.Choose(`dialog >> combobox "Report"`, name)
	p.AxeInTurn()
	p.Click(`dialog >> button "Add"`)
	p.WaitHidden(`dialog`)
	waitForText(p, "Added to "+name+".")

	var r struct {
		Client  int64
		Compare []struct{ ID int64 }
		Cards   []struct {
			Kind    string
			Monitor int64
		}
	}
	id := c.report(name).ID
	c.get(fmt.Sprintf("/manage/v1/reports/%d", id), &r)
	if r.Client == 0 || len(r.Compare) != 1 || r.Compare[0].ID != int64(rival.ID) || len(r.Cards) != 1 || r.Cards[0].Kind != "volume" || r.Cards[0].Monitor != int64(brand.ID) {
		t.Errorf("got %+v", r)
	}
	p.Visit(fmt.Sprintf("/signals/reports/%d", id))
	waitForText(p, "Volume · "+demo.Brand)
	p.Click(`button "Edit"`)
	p.WaitFor(fmt.Sprintf(`image "Logo of %s"`, client))
	p.Click(fmt.Sprintf(`button "Remove Volume · %s"`, demo.Brand))
	p.Click(`dialog >> button "Save"`)
	p.WaitHidden(`dialog`)
	c.get(fmt.Sprintf("/manage/v1/reports/%d", id), &r)
	if len(r.Cards) != 0 {
		t.Errorf("the report still has the cards %+v", r.Cards)
	}
}
