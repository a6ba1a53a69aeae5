package webtest

import (
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"earshot/internal/demo"
)

// A topicReport is the response of the topics endpoint.
type topicReport struct {
	Posts, About int
	Steps        []string
	Topics       []struct {
		Name, Filter    string
		Posts, Previous int
		Steps           []int
	}
}

// TestTopics compares the topics of a week with the API, and opens the posts and the overview of one.
func TestTopics(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	end := addDays(t, unusualDay(c, id), 3)
	d := days{addDays(t, end, -7), end}
	var r topicReport
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/topics?%s&limit=12", id, d.query()), &r)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/topics?%s", id, d.query()))
	p.WaitFor(`region "Topics"`)
	settle(p)
	waitForText(p, fmt.Sprintf("%s of %s posts", formatNumber(r.About), formatNumber(r.Posts)))
	_, table := downloadTable(t, p, "Topics")
	_, curves := downloadTable(t, p, "Topics over time")
	for i, topic := range r.Topics {
		checkEqual(t, "name", table[i+1][0], topic.Name)
		checkEqual(t, "posts of "+topic.Name, table[i+1][2], strconv.Itoa(topic.Posts))
		checkEqual(t, "posts before of "+topic.Name, table[i+1][4], strconv.Itoa(topic.Previous))
		for step, posts := range topic.Steps {
			checkEqual(t, "posts of "+topic.Name+" on "+r.Steps[step], curves[step+1][i+1], strconv.Itoa(posts))
		}
	}
	p.AxeInTurn()
	top := r.Topics[0]
	checkClaim(t, p, fmt.Sprintf(`link "View posts: %s"`, top.Name), d.query(), driver{Filter: top.Filter, Posts: top.Posts})
	p.Click(fmt.Sprintf(`link "Show in overview: %s"`, top.Name))
	showsPosts(p, top.Posts)

	var changes struct{ Words, Hashtags []driver }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/changes?%s", id, d.query()), &changes)
	p.Visit(fmt.Sprintf("/monitors/%d/topics?%s", id, d.query()))
	word := changes.Words[0]
	checkClaim(t, p, fmt.Sprintf(`region "Words" >> a[title="Posts: %s"]`, word.Name), d.query(), word)
}

// TestOverviewTopics narrows the overview to a topic, and opens the posts with a rising word.
func TestOverviewTopics(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	end := addDays(t, unusualDay(c, id), 3)
	d := days{addDays(t, end, -7), end}
	var r topicReport
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/topics?%s&limit=10", id, d.query()), &r)
	var changes struct{ Words []driver }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/changes?%s", id, d.query()), &changes)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
	word := changes.Words[0]
	checkClaim(t, p, fmt.Sprintf(`region "New and rising" >> a[title="Posts: %s"]`, word.Name), d.query(), word)
	p.Click(bar("Topics", r.Topics[0].Name))
	showsPosts(p, r.Topics[0].Posts)
	got, err := url.Parse(p.URL())
	if err != nil || got.Query().Get("filter") != r.Topics[0].Filter {
		t.Errorf("got %s, want the filter %s", p.URL(), r.Topics[0].Filter)
	}
}

// TestOverviewHours checks that sentiment and emotions of one day are shown by hour.
func TestOverviewHours(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	day := unusualDay(c, id)
	d := days{day, addDays(t, day, 1)}
	var o struct {
		Hours []struct {
			Time                 string
			Categories, Emotions []int
		}
	}
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?%s&parts=hours", id, d.query()), &o)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
	for _, chart := range []struct {
		title string
		of    func(hour int) []int
	}{
		{"Sentiment", func(hour int) []int { return o.Hours[hour].Categories }},
		{"Emotions", func(hour int) []int { return o.Hours[hour].Emotions }},
	} {
		_, table := downloadTable(t, p, chart.title)
		checkEqual(t, "hours of "+chart.title, len(table), 25)
		for hour := range o.Hours {
			want := []string{o.Hours[hour].Time}
			for _, n := range chart.of(hour) {
				want = append(want, strconv.Itoa(n))
			}
			checkEqual(t, chart.title, table[hour+1], want)
		}
		shown := readTable(p, chart.title)
		checkEqual(t, "first hour", shown[0][0], formatRows(t, [][]string{{day}}, 1)[0][0]+", 12:00 AM")
	}
}

// TestUnknownReach checks that the reach is unknown, not 0, if no post states followers.
func TestUnknownReach(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("unreached")
	c.importPosts(fields{"type": "News", "guid": word, "date": time.Now().UTC().Format("2006-01-02T15:04:05Z"), "contents": word + " story", "url": "https://news.example/" + word})
	id := c.addMonitor(w, fields{"name": word, "type": "BUZZ", "keywords": word, "start": addDays(t, time.Now().UTC().Format("2006-01-02"), -3)}, 1)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d", id))
	waitTexts(p, ".figures .card:nth-child(4) .figure", "–")
	waitForText(p, "No follower counts available")
}
