package webtest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
)

// TestPaletteFindsPosts opens posts, authors and topics that a phrase in the palette describes.
func TestPaletteFindsPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	brand, rival := w.monitors[demo.Brand], w.monitors[demo.FirstRival]
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?range=last30", brand.ID))
	find := func(text, option string) {
		t.Helper()
		p.Press("Control+k")
		p.WaitFor(`combobox "Search pages, monitors, views, and actions"`)
		p.Write(text)
		p.WaitFor(`option /` + option + `/`)
	}
	opens := func(page string, monitor any, filter string) {
		t.Helper()
		p.WaitUntil(fmt.Sprintf(`location.pathname === "/monitors/%v%s" && new URLSearchParams(location.search).get("filter") === %s`, monitor, page, quoteJS(filter)))
		p.WaitHidden(`dialog`)
	}
	day := time.Now().In(brand.Location()).AddDate(0, 0, -1)

	find("negative germany "+day.Format("Jan 2"), fmt.Sprintf(`^Posts · Negative · Germany · %s · %s`, day.Format("Jan 2, 2006"), demo.Brand))
	p.AxeInTurn()
	p.Press("Enter")
	opens("/posts", brand.ID, "sentiment:negative|geolocation:DEU")
	if !strings.Contains(p.URL(), "start="+day.Format(time.DateOnly)) {
		t.Errorf("got %s, want posts of %s", p.URL(), day)
	}

	find("french women yesterday "+strings.ToLower(demo.FirstRival), `^Posts · French · Female · .* · `+demo.FirstRival)
	p.Press("ArrowDown")
	p.Press("Enter")
	opens("", rival.ID, "language:fr|gender:F")
	if !strings.Contains(p.URL(), "range=yesterday") {
		t.Errorf("got %s, want yesterday", p.URL())
	}

	find("espresso", `^Posts · espresso · `+demo.FirstRival)
	p.Click(`option /^Posts · espresso · /`)
	opens("/posts", rival.ID, "keywords:espresso")
	if !strings.Contains(p.URL(), "range=yesterday") {
		t.Errorf("got %s, want the days of the page", p.URL())
	}

	var o struct{ Authors struct{ Top []count } }
	w.client(t).get(fmt.Sprintf("/manage/v1/monitors/%d/overview?range=last30&parts=authors", rival.ID), &o)
	author := o.Authors.Top[0].Name
	find(author, "^"+author+" Author")
	p.Click(`option "` + author + ` Author"`)
	p.WaitUntil(fmt.Sprintf(`location.pathname === "/author" && location.search.includes(%s)`, quoteJS("name="+url.QueryEscape(author))))
}
