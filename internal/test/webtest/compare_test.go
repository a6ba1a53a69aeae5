package webtest

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A comparedRow is a row of a comparison, with its label on the page.
type comparedRow struct {
	label   string
	id      int64
	filter  string
	days    days // requested
	covered days
	earlier days // as far as it has results; empty: none
}

// TestCompare adds two monitors, compares them with the previous week, and changes their order, dates
// and filters.
func TestCompare(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand, press := int64(w.monitors[demo.Brand].ID), int64(w.monitors["Press and forums"].ID)
	end := addDays(t, c.results(brand).end, -2)
	week := days{addDays(t, end, -7), end}
	before := days{addDays(t, week.start, -7), week.start}
	p := w.signedIn(t, "/compare")
	p.WaitText(`.empty h2`, "Choose what to compare")
	p.WaitFor(`combobox "Add a monitor or saved filter"`)
	chooseDays(p, t, week)

	// One monitor: others of the team are suggested.
	p.Fill(`combobox "Add a monitor or saved filter"`, demo.Brand)
	p.Press("Enter")
	p.WaitFor(`group "Compare with" >> button`)
	p.WaitHidden(`listbox`) // it would cover what follows
	p.Fill(`combobox "Add a monitor or saved filter"`, "Press and forums")
	p.WaitFor(`option "Press and forums"`)
	p.Press("Enter")
	p.WaitHidden(`listbox`)
	rows := []comparedRow{{label: demo.Brand, id: brand, days: week, covered: week}, {label: "Press and forums", id: press, days: week, covered: week}}
	checkComparison(t, c, p, rows, "")
	p.WaitHidden(`group "Compare with"`)

	p.Click(`group "Compare to" >> button "Previous period"`)
	rows[0].earlier, rows[1].earlier = before, before
	checkComparison(t, c, p, rows, "previous")
	checkEqual(t, "URL", p.URL(), fmt.Sprintf("/compare?start=%s&end=%s&m=%d%%2C%d&before=previous", week.start, week.end, brand, press))
	p.AxeInTurn()

	// The order is that of the chips everywhere.
	k := keyboardUser{t, p}
	p.Eval(`document.querySelector("h1").focus()`, nil)
	k.tabTo(demo.Brand + ": row 1 of 2, settings")
	p.Press("Alt+ArrowRight")
	p.WaitUntil(fmt.Sprintf(`document.activeElement.getAttribute("aria-label") === %s`, quoteJS(demo.Brand+": row 2 of 2, settings")))
	rows[0], rows[1] = rows[1], rows[0]
	checkComparison(t, c, p, rows, "previous")

	// The second row gets a filter and dates of its own.
	p.Click(fmt.Sprintf(`button "%s: row 2 of 2, settings"`, demo.Brand))
	p.Choose(`combobox "Dates"`, "Custom")
	p.Fill(`.compare-editor [type=date]`, before.start)
	p.Fill(`.compare-editor .field + .field [type=date]`, addDays(t, before.end, -1))
	p.Press("Escape")
	p.WaitHidden(`.compare-editor`)
	p.Visit(p.URL() + "&filter2=" + url.QueryEscape("gender:F"))
	rows[1].label = demo.Brand + " · Female · " + formatRange(t, before)
	rows[1].filter, rows[1].days, rows[1].covered, rows[1].earlier = "gender:F", before, before, days{addDays(t, before.start, -7), before.start}
	checkComparison(t, c, p, rows, "previous")
	p.AxeInTurn()

	p.Click(`button "Remove Press and forums"`)
	checkComparison(t, c, p, rows[1:], "previous")
}

// TestCompareOldLink opens a link of an earlier version, whose parameter before has a date.
func TestCompareOldLink(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand := int64(w.monitors[demo.Brand].ID)
	end := addDays(t, c.results(brand).end, -2)
	week := days{addDays(t, end, -7), end}
	before := days{addDays(t, week.start, -7), week.start}
	p := w.signedIn(t, fmt.Sprintf("/compare?m=%d&%s&before=%s", brand, week.query(), before.start))
	checkComparison(t, c, p, []comparedRow{{label: demo.Brand, id: brand, days: week, covered: week, earlier: before}}, before.start)
	checkEqual(t, "pressed", p.Text(`group "Compare to" >> [aria-pressed=true]`), "Previous period")
	p.Click(`group "Compare to" >> button "Custom"`)
	p.Fill(`.compare-dates [type=date]`, addDays(t, before.start, -3))
	other := days{addDays(t, before.start, -3), addDays(t, before.end, -3)}
	p.WaitUntil(fmt.Sprintf(`location.search.includes("before=%s")`, other.start))
	checkComparison(t, c, p, []comparedRow{{label: demo.Brand, id: brand, days: week, covered: week, earlier: other}}, other.start)
}

// TestComparePartlyCovered compares a monitor with one that began nine days ago: of the previous
// week, it has results for two days.
func TestComparePartlyCovered(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	today := time.Now().UTC().Format(time.DateOnly)
	word := uniqueName("amber")
	var posts []fields
	for day := 1; day <= 20; day++ {
		for i := range day {
			posts = append(posts, fields{"type": "Reddit", "guid": fmt.Sprint(word, day, "-", i), "date": addDays(t, today, -day) + "T12:00:00Z", "contents": word, "url": fmt.Sprintf("https://www.example.com/%s/%d/%d", word, day, i), "language": "en"})
		}
	}
	c.importPosts(posts...)
	early, late := uniqueName("Early"), uniqueName("Late")
	first := c.addMonitor(w, fields{"name": early, "keywords": word, "start": addDays(t, today, -20)}, 210)
	second := c.addMonitor(w, fields{"name": late, "keywords": word, "start": addDays(t, today, -9)}, 45)
	week := days{addDays(t, today, -7), today}
	before := days{addDays(t, today, -14), addDays(t, today, -7)}

	p := w.signedIn(t, fmt.Sprintf("/compare?m=%d,%d&%s&before=previous", first, second, week.query()))
	rows := []comparedRow{{label: early, id: first, days: week, covered: week, earlier: before}, {label: late, id: second, days: week, covered: week, earlier: days{addDays(t, today, -9), before.end}}}
	checkComparison(t, c, p, rows, "previous")
	waitTexts(p, `[aria-label="Totals: table"] .badge`, "2 of 7 days")
	waitForText(p, "Some periods have data for only some of their days.")
	// 28 posts in 7 days, after 77 in 7 days or 17 in 2 days.
	p.WaitText(`region "Totals: table" >> tbody tr:nth-child(1) .delta`, "−64%")
	p.WaitText(`region "Totals: table" >> tbody tr:nth-child(2) .delta`, "−53%")
	waitTexts(p, `[aria-label="Totals: table"] td:nth-child(3) .delta + span.small`, "per day")

	// Of the days from Tuesday to Monday, say, the second monitor has results from Thursday on.
	earlier := days{addDays(t, today, -11), addDays(t, today, -4)}
	p.Visit(fmt.Sprintf("/compare?m=%d,%d&%s", first, second, earlier.query()))
	rows = []comparedRow{{label: early, id: first, days: earlier, covered: earlier}, {label: late, id: second, days: earlier, covered: days{addDays(t, today, -9), earlier.end}}}
	checkComparison(t, c, p, rows, "")
	waitTexts(p, `[aria-label="Totals: table"] .badge`, "5 of 7 days")
}

// TestCompareWords compares two monitors whose posts have different words, and opens the posts behind
// one of them.
func TestCompareWords(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	var ids []string
	for _, words := range [][2]string{{uniqueName("velvet"), uniqueName("harbor")}, {uniqueName("copper"), uniqueName("meadow")}} {
		var posts []fields
		for i := range 30 {
			posts = append(posts, fields{"type": "Reddit", "guid": fmt.Sprint(words[0], i), "date": time.Now().AddDate(0, 0, -3).Format(time.RFC3339), "author": fmt.Sprint(words[0], i),
				"contents": fmt.Sprintf("%s %s number %d", words[0], words[1], i), "url": fmt.Sprintf("https://www.example.com/%s/%d", words[0], i), "language": "en"})
		}
		c.importPosts(posts...)
		ids = append(ids, fmt.Sprint(c.addMonitor(w, fields{"name": words[0], "keywords": words[0], "start": time.Now().AddDate(0, 0, -30).Format(time.DateOnly)}, 30)))
	}
	p := w.signedIn(t, "/compare?m="+strings.Join(ids, ","))
	p.WaitFor(`region "What sets them apart"`)
	settle(p)
	var compared struct {
		Rows []struct{ Separating struct{ Words []count } }
	}
	c.send("POST", "/manage/v1/compare", fields{"rows": []fields{{"monitor": number(ids[0]), "range": "last30"}, {"monitor": number(ids[1]), "range": "last30"}}, "parts": []string{"separating"}}, &compared)
	for i, r := range compared.Rows {
		var want []string
		for _, word := range r.Separating.Words {
			want = append(want, word.Name)
		}
		if len(want) == 0 {
			t.Fatalf("row %d has no words", i+1)
		}
		waitTexts(p, fmt.Sprintf(`.compare-columns:last-of-type > div:nth-child(%d) ol a`, i+1), want...)
	}
	word := compared.Rows[1].Separating.Words[0]
	p.Click(fmt.Sprintf(`region "What sets them apart" >> link "%s"`, word.Name))
	p.WaitUntil(fmt.Sprintf(`location.pathname === "/monitors/%s/posts"`, ids[1]))
	p.WaitFor(`article`)
	waitForText(p, fmt.Sprintf("%d posts", word.Posts))
}

// TestCompareSavedFilter compares a monitor with one of its saved filters, and opens the posts of the
// filter.
func TestCompareSavedFilter(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word, name := uniqueName("cedar"), uniqueName("Reddit")
	var posts []fields
	for i := range 12 {
		source := []string{"Reddit", "News", "Blogs"}[i%3]
		posts = append(posts, fields{"type": source, "guid": fmt.Sprint(word, i), "date": time.Now().AddDate(0, 0, -2).Format(time.RFC3339), "contents": word, "url": fmt.Sprintf("https://www.example.com/%s/%d", word, i), "language": "en"})
	}
	c.importPosts(posts...)
	id := c.addMonitor(w, fields{"name": word, "keywords": word, "start": time.Now().AddDate(0, 0, -10).Format(time.DateOnly)}, 12)
	saved := c.create(fmt.Sprintf("/manage/v1/monitors/%d/filters", id), fields{"name": name, "sources": []string{"Reddit"}})
	c.waitUntil("the filter has posts", func() bool { return c.posts(saved) == 4 })
	p := w.signedIn(t, fmt.Sprintf("/compare?m=%d&range=last7", id))
	p.Fill(`combobox "Add a monitor or saved filter"`, name)
	p.WaitFor(fmt.Sprintf(`option /%s/`, name))
	p.Press("Enter")
	waitTexts(p, `[aria-label="Totals: table"] tbody th`, word, word+" › "+name)
	waitTexts(p, `[aria-label="Totals: table"] tbody td:nth-child(2)`, "12", "4")
	waitTexts(p, `[aria-label="Totals: table"] tbody td:nth-child(3)`, "75%", "25%") // share of voice
	p.Click(`region "Totals: table" >> tbody tr:nth-child(2) a`)
	p.WaitUntil(fmt.Sprintf(`location.pathname === "/monitors/%d/posts" && location.search.includes("sub=%d")`, id, saved))
	waitForText(p, "4 posts")
}

// TestCompareLimit opens a link with too many rows.
func TestCompareLimit(t *testing.T) {
	t.Parallel()
	w := env(t)
	ids := strings.Repeat(fmt.Sprintf("%d,", w.monitors[demo.Brand].ID), 11)
	p := w.signedIn(t, "/compare?m="+ids)
	waitForText(p, "This link has 11 rows, but a comparison can have only 10. The rest are left out.")
	waitForText(p, "A comparison can have up to 10 rows. Remove one to add another.")
	settle(p)
	if got := p.Count(`region "Totals: table" >> tbody tr`); got != 10 {
		t.Errorf("got %d rows, want 10", got)
	}
	p.Click(fmt.Sprintf(`button "Remove %s (10)"`, demo.Brand))
	p.WaitUntil(`!document.body.innerText.includes("up to 10")`)
}

// number returns the digits of an ID as a number.
func number(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// chooseDays selects a date range.
func chooseDays(p *browsertest.Page, t *testing.T, d days) {
	t.Helper()
	p.Click(`button /^Choose dates/`)
	p.Fill(`[type=date]`, d.start)
	p.Fill(`.field + .field [type=date]`, addDays(t, d.end, -1))
	p.Click(`button "Apply"`)
}

// formatRange formats a date range as pages do.
func formatRange(t *testing.T, d days) string {
	t.Helper()
	first, last := parseDay(t, d.start), parseDay(t, addDays(t, d.end, -1))
	switch {
	case first.Year() != last.Year():
		return first.Format("Jan 2, 2006") + " – " + last.Format("Jan 2, 2006")
	case first.Month() != last.Month():
		return first.Format("Jan 2") + " – " + last.Format("Jan 2, 2006")
	}
	return first.Format("Jan 2") + " – " + last.Format("2, 2006")
}

func parseDay(t *testing.T, date string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		t.Fatal(err)
	}
	return day
}

// length returns the number of days of a range.
func (d days) length(t *testing.T) int {
	t.Helper()
	return int(parseDay(t, d.end).Sub(parseDay(t, d.start)).Hours() / 24)
}

// checkComparison waits until the page compares the rows, and compares its numbers with those of the
// overview of each row.
func checkComparison(t *testing.T, c *apiClient, p *browsertest.Page, rows []comparedRow, earlier string) {
	t.Helper()
	var labels []string
	for _, r := range rows {
		labels = append(labels, r.label)
	}
	waitTexts(p, `[aria-label="Totals: table"] tbody th`, labels...)
	waitTexts(p, `.compare-chip`, labels...)
	settle(p)
	totals := [][]string{row("Row", "Start", "End", "Days with data", "Days", "Posts", "Share of voice (%)", "Authors", "Reach", "Engagement", "Earlier start", "Earlier end", "Earlier days with data", "Earlier posts", "Change per day (%)")}
	sameDays := map[days]int{} // posts
	for _, r := range rows {
		sameDays[r.days] += c.overview(r.id, r.days, r.filter).Posts
	}
	var posts []string
	for i, r := range rows {
		o := c.overview(r.id, r.days, r.filter)
		share, reach := "", ""
		if sameDays[r.days] != o.Posts {
			share = formatFloat(float64(o.Posts) / float64(sameDays[r.days]))
		}
		if o.Authors.Impressions != nil {
			reach = strconv.Itoa(*o.Authors.Impressions)
		}
		cells := row(r.label, r.covered.start, r.covered.end, r.covered.length(t), r.days.length(t), o.Posts, share, o.Authors.Count, reach, c.engagement(r))
		if r.earlier == (days{}) {
			cells = append(cells, row("", "", "", "", "")...)
		} else {
			was := c.overview(r.id, r.earlier, r.filter).Posts
			change := float64(o.Posts)/float64(r.covered.length(t))/(float64(was)/float64(r.earlier.length(t))) - 1
			cells = append(cells, row(r.earlier.start, r.earlier.end, r.earlier.length(t), was, formatFloat(change))...)
			text := p.Text(fmt.Sprintf(`region "Totals: table" >> tbody tr:nth-child(%d) td:nth-child(3)`, i+1))
			if want := fmt.Sprintf("from %s, %s", formatNumber(was), formatRange(t, r.earlier)); !strings.Contains(text, want) {
				t.Errorf("change of %s: got %q, want %q", r.label, text, want)
			}
		}
		totals, posts = append(totals, cells), append(posts, formatNumber(o.Posts))
	}
	waitTexts(p, `[aria-label="Totals: table"] tbody td:nth-child(2)`, posts...)
	_, table := downloadTable(t, p, "Totals")
	checkEqual(t, "totals", table, totals)
	checkVolumes(t, c, p, rows, earlier)
	checkSentiments(t, c, p, rows)
}

// formatFloat formats a share as a percentage with at most one decimal.
func formatFloat(share float64) string {
	return strconv.FormatFloat(math.Floor(math.Round(share*1e4)/1e4*1000+0.5)/10, 'f', -1, 64)
}

// engagement returns the engagement of a row, which only comparisons have.
func (c *apiClient) engagement(r comparedRow) int {
	c.t.Helper()
	var response struct{ Rows []struct{ Engagement int } }
	c.send("POST", "/manage/v1/compare", fields{"rows": []fields{{"monitor": r.id, "filter": r.filter, "start": r.days.start, "end": r.days.end}}, "parts": []string{"counts"}}, &response)
	return response.Rows[0].Engagement
}

// checkVolumes compares the posts of each day with the overview of each row.
func checkVolumes(t *testing.T, c *apiClient, p *browsertest.Page, rows []comparedRow, earlier string) {
	t.Helper()
	head, table := []string{"Day"}, make([][]string, rows[0].days.length(t))
	sameStart := true
	for _, r := range rows {
		sameStart = sameStart && r.days.start == rows[0].days.start
	}
	for i := range table {
		table[i] = row(fmt.Sprintf("Day %d", i+1))
		if sameStart {
			table[i] = row(addDays(t, rows[0].days.start, i))
		}
	}
	add := func(name string, r comparedRow, first string, covered days) {
		head = append(head, name)
		posts := map[string]int{}
		for _, d := range c.overview(r.id, covered, r.filter).Days {
			posts[d.Date] = d.Posts
		}
		for i := range table {
			cell := ""
			if n, ok := posts[addDays(t, first, i)]; ok {
				cell = strconv.Itoa(n)
			}
			table[i] = append(table[i], cell)
		}
	}
	for _, r := range rows {
		add(r.label, r, r.days.start, r.covered)
		if r.earlier != (days{}) {
			first, name := addDays(t, r.days.start, -r.days.length(t)), "previous period"
			if earlier != "previous" {
				first, name = earlier, "from "+parseDay(t, earlier).Format("Jan 2, 2006")
			}
			add(r.label+", "+name, r, first, r.earlier)
		}
	}
	_, got := downloadTable(t, p, "Volume")
	checkEqual(t, "volume", got, append([][]string{head}, table...))
}

// checkSentiments compares the sentiment of each row with its overview.
func checkSentiments(t *testing.T, c *apiClient, p *browsertest.Page, rows []comparedRow) {
	t.Helper()
	var want, seen [][]string
	for _, r := range rows {
		o := c.overview(r.id, r.days, r.filter)
		for _, category := range o.Categories {
			want = append(want, row(r.label, strings.TrimPrefix(category.Name, "Basic "), category.Posts))
		}
	}
	_, table := downloadTable(t, p, "Sentiment and opinions")
	for _, r := range table[1:] {
		seen = append(seen, r[:3])
	}
	checkEqual(t, "sentiment", seen, want)
}
