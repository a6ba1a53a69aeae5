package webtest

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"earshot"
	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A metricDay is one day of the endpoints for accounts.
type metricDay struct {
	Date, StartDate             string
	Followers, FollowerCount    int
	Likes                       int // of a page
	Mentions, Replies, Retweets int
	SentPostMetrics             []any
	TotalImpressions            int
	Hashtags                    map[string]int
	Admin                       struct{ AdminPosts, LikesOnAdmin, CommentsOnAdmin, SharesOnAdmin int }
	User                        struct{ UserPosts, LikesOnUser, CommentsOnUser, SharesOnUser int }
	AdminPostMetrics            []any
}

// metricRows returns the date and some values of each day that an endpoint for accounts returns.
func metricRows(c *apiClient, endpoint string, id int64, d days, values func(metricDay) []int) (rows [][]string) {
	c.t.Helper()
	var response struct{ DailyResults []metricDay }
	c.get(fmt.Sprintf("/api/monitor/%s?id=%d&%s", endpoint, id, d.query()), &response)
	for _, day := range response.DailyResults {
		row := []string{(day.Date + day.StartDate)[:len(time.DateOnly)]}
		for _, n := range values(day) {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return rows
}

// onAccount opens the page of a monitor's account, as its tab does.
func (w *environment) onAccount(t *testing.T, id int64, d days) *browsertest.Page {
	t.Helper()
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
	p.Click(`link "Account"`)
	p.WaitFor(`region "Posts by the account"`)
	settle(p)
	return p
}

// checkMetrics compares the table and the CSV file of a chart of the account page with rows.
func checkMetrics(t *testing.T, p *browsertest.Page, title, file string, head []string, want [][]string) {
	t.Helper()
	if len(want) == 0 {
		t.Errorf("%s: the public API has no values", title)
	}
	checkChart(t, p, title, file, head, want)
}

// TestTwitterAccountNumbers compares the page of a microblog account with the public API.
func TestTwitterAccountNumbers(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand+" on Twitter"].ID)
	d := lastDays(t, c, id)
	p := w.onAccount(t, id, d)
	file := func(chart string) string {
		return fmt.Sprintf("morvessa-on-twitter-%s-%s-%s.csv", d.start, d.last(), chart)
	}
	checkMetrics(t, p, "Followers", file("followers"), []string{"Day", "Followers"},
		metricRows(c, "twittersocial/followers", id, d, func(m metricDay) []int { return []int{m.Followers} }))
	posts := metricRows(c, "twittersocial/sentposts", id, d, func(m metricDay) []int { return []int{len(m.SentPostMetrics)} })
	checkMetrics(t, p, "Posts by the account", file("posts"), []string{"Day", "Posts by the account"}, posts)
	checkMetrics(t, p, "Impressions", file("impressions"), []string{"Day", "Impressions"},
		metricRows(c, "twittersocial/sentposts", id, d, func(m metricDay) []int { return []int{m.TotalImpressions} }))
	checkMetrics(t, p, "Mentions, replies, and retweets", file("engagement"), []string{"Day", "Mentions", "Replies", "Retweets"},
		metricRows(c, "twittersocial/totalengagement", id, d, func(m metricDay) []int { return []int{m.Mentions, m.Replies, m.Retweets} }))
	checkMetric(p, "posts", total(posts))
	table := readCSV(t, p.Download(func() { p.Click(`button "Latest posts by the account: download CSV"`) }).Data)
	checkEqual(t, "number of posts", len(table)-1, total(posts))
	p.WaitHidden(`region "Page likes"`)
	p.AxeInTurn()
}

// checkMetric waits until a total has a value.
func checkMetric(p *browsertest.Page, metric string, value int) {
	p.WaitUntil(fmt.Sprintf(`document.querySelector(".figure[data-metric=%s]")?.dataset.value === "%d"`, metric, value))
}

// TestFacebookPageNumbers compares the page of a Facebook page with the public API, in a period and
// the one before it.
func TestFacebookPageNumbers(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand+" on Facebook"].ID)
	d := lastDays(t, c, id)
	p := w.onAccount(t, id, d)
	file := func(chart string) string {
		return fmt.Sprintf("morvessa-on-facebook-%s-%s-%s.csv", d.start, d.last(), chart)
	}
	likes := func(m metricDay) []int { return []int{m.Likes} }
	checkMetrics(t, p, "Page likes", file("pagelikes"), []string{"Day", "Page likes"}, metricRows(c, "facebook/pagelikes", id, d, likes))
	checkMetrics(t, p, "Engagement with the account's posts", file("reactions"), []string{"Day", "Likes", "Comments", "Shares"},
		metricRows(c, "facebook/totalactivity", id, d, func(m metricDay) []int {
			return []int{m.Admin.LikesOnAdmin, m.Admin.CommentsOnAdmin, m.Admin.SharesOnAdmin}
		}))
	checkMetrics(t, p, "Visitor posts and their engagement", file("visitors"),
		[]string{"Day", "Posts by visitors", "Likes on visitor posts", "Comments on visitor posts", "Shares of visitor posts"},
		metricRows(c, "facebook/totalactivity", id, d, func(m metricDay) []int {
			return []int{m.User.UserPosts, m.User.LikesOnUser, m.User.CommentsOnUser, m.User.SharesOnUser}
		}))

	before := days{addDays(t, d.start, -14), d.start}
	adminPosts := func(m metricDay) []int { return []int{len(m.AdminPostMetrics)} }
	checkMetric(p, "posts", total(metricRows(c, "facebook/adminposts", id, d, adminPosts)))
	old := total(metricRows(c, "facebook/adminposts", id, before, adminPosts))
	p.WaitFor(fmt.Sprintf(`[title^="%s for "]`, formatNumber(old)))
	waitForText(p, "vs. previous 14 days")
}

// TestInstagramAccountNumbers compares the page of an Instagram account with the public API.
func TestInstagramAccountNumbers(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand+" on Instagram"].ID)
	d := lastDays(t, c, id)
	p := w.onAccount(t, id, d)
	file := func(chart string) string {
		return fmt.Sprintf("morvessa-on-instagram-%s-%s-%s.csv", d.start, d.last(), chart)
	}
	checkMetrics(t, p, "Followers", file("followers"), []string{"Day", "Followers"},
		metricRows(c, "instagram/followers", id, d, func(m metricDay) []int { return []int{m.FollowerCount} }))
	checkMetrics(t, p, "Engagement with the account's posts", file("reactions"), []string{"Day", "Likes", "Comments"},
		metricRows(c, "instagram/totalactivity", id, d, func(m metricDay) []int {
			return []int{m.Admin.LikesOnAdmin, m.Admin.CommentsOnAdmin}
		}))
	hashtags := map[string]int{}
	metricRows(c, "instagram/hashtags", id, d, func(m metricDay) []int {
		for name, n := range m.Hashtags {
			hashtags["#"+name] += n
		}
		return nil
	})
	_, table := downloadTable(t, p, "Hashtags")
	checkEqual(t, "hashtags", counted(t, table, 0), hashtags)
}

// TestUnknownFollowers shows a dash, not zero, for an account without snapshots.
func TestUnknownFollowers(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	team := w.monitors[demo.Brand].Team
	id := c.create("/manage/v1/monitors", map[string]any{"name": "Quiet account", "team": team, "type": "SOCIAL",
		"account": map[string]any{"network": earshot.Bluesky, "handle": "quiet.example"}})
	t.Cleanup(func() { c.send("DELETE", fmt.Sprintf("/manage/v1/monitors/%d", id), nil, nil) })
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/account", id))
	p.WaitFor(`region "Followers"`)
	p.WaitUntil(`document.querySelector(".figure[data-metric=followers]").innerText === "–"`)
	waitForText(p, "The account did not post on these dates.")
	checkMetric(p, "posts", 0)
	checkMetric(p, "mentions", 0)
}
