package webtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// TestLabelPosts draws a random sample and labels its posts with keys only. The intervals of the shares get
// narrower, and the overview says that labels calibrate its shares.
func TestLabelPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("brindelow")
	posts := feelings(word)
	c.importPosts(posts...)
	id := c.addMonitor(w, fields{"name": word, "keywords": word}, len(posts))
	l := labelTest{t: t, p: w.signedIn(t, fmt.Sprintf("/monitors/%d", id))}
	p := l.p

	waitForText(p, "Estimates. Ranges are wide because the models are not calibrated for this monitor: label 50 posts to narrow them. Bands are 95% confidence intervals.")
	p.Click(`region "Sentiment" >> link "label 50 posts to narrow them"`)
	p.WaitFor(`heading "Label posts"`)
	before := l.widths()
	p.AxeInTurn()
	keyboardUser{t, p}.tabTo("Label 50 posts")
	p.Press("Enter")

	first := l.label("", 0)
	second := l.label(first, 1)
	p.WaitText(labeledPosts, "2 of 50")
	p.Press("Backspace")
	p.WaitText(labeledPosts, "1 of 50")
	if got := l.post(""); got != second {
		t.Errorf("undo brings %q back, want %q", got, second)
	}
	p.AxeInTurn()
	last := first
	for n := 1; n < 50; n++ {
		last = l.label(last, n)
	}
	waitForText(p, "You have labeled all posts")
	waitForText(p, "Calibrated with 50 labeled posts.")
	waitForText(p, "demo 50")
	for i, after := range l.widths() {
		if after >= before[i] {
			t.Errorf("the interval of share %d is %v wide after labeling, and was %v", i, after, before[i])
		}
	}
	p.Visit(fmt.Sprintf("/monitors/%d", id))
	waitForText(p, "Calibrated with 50 labeled posts; bands are 95% confidence intervals.")
}

// TestLabelTogether labels posts that a colleague has labeled, with emotions. Labels that cannot be sent are kept
// until they can, and a post on which people disagree is labeled again.
func TestLabelTogether(t *testing.T) {
	t.Parallel()
	w := env(t)
	tw := w.newTeamwork(t, "cavelume")
	at := fmt.Sprintf("/manage/v1/monitors/%d", tw.monitor)
	bob := w.clientFor(t, tw.bob, demo.Password)
	var sampled struct{ Samples []struct{ ID int64 } }
	bob.send("POST", at+"/samples", fields{"posts": 5}, &sampled)
	for _, key := range unlabeled(bob, tw.monitor) {
		bob.send("PUT", at+"/posts/"+key+"/label", fields{"sentiment": "negative"}, nil)
	}
	p := tw.open(t, w, tw.page("/label"))
	p.WaitText(labeledPosts, "0 of 5")
	p.Click(`checkbox "Emotions, too"`)
	label := func(said string, keys ...string) {
		t.Helper()
		for _, key := range keys {
			p.Press(key)
		}
		p.WaitUntil(fmt.Sprintf(`document.querySelector("section[aria-label='Post to label'] > [role=status]").innerText.startsWith(%s)`, quoteJS(said)))
	}
	p.WaitFor(`group "Sentiment of the post"`)
	label("Positive. Which emotion?", "1")
	p.WaitFor(`group "Emotion of the post" >> button "Joy"`)
	p.AxeInTurn()
	label("Labeled Positive, Joy. Post 2 of 5: ", "1")
	label("Labeled Negative. Post 3 of 5: ", "3", "0")
	waitForText(p, tw.ann+" 2; agree about 1 of 2")

	p.Eval(`window.reach = window.fetch; window.fetch = () => Promise.reject(new TypeError("offline"))`, nil)
	label("Labeled Neutral, Surprise. Post 4 of 5: ", "2", "6")
	label("Can't tell. Post 5 of 5: ", "s")
	waitForText(p, "The label was not saved: Cannot reach the server. Is Earshot running? 1 later label will be saved after it.")
	p.Eval(`window.fetch = window.reach`, nil)
	p.Click(`button "Try again"`)
	waitForText(p, tw.ann+" 3 (1 skipped)")

	p.Click(`region "People" >> summary`)
	p.Click(`button /Positive, Joy/`)
	p.WaitFor(`dialog >> article`)
	p.Axe()
	p.Click(`button "Label again"`)
	p.WaitHidden(`dialog`)
	label("Labeled Negative, Anger. Post 5 of 5: ", "3", "5")
	waitForText(p, "agree about 2 of 3")
	p.WaitText(labeledPosts, "4 of 5")

	left := unlabeled(tw.apiClient, tw.monitor)
	bob.send("DELETE", fmt.Sprintf("/manage/v1/samples/%d", sampled.Samples[0].ID), nil, nil)
	p.Expect(404, at+"/posts/"+left[0]+"/label")
	label("Labeled Neutral. ", "2", "0")
	p.Click(`button "Discard this label"`)
	p.WaitHidden(`button "Discard this label"`)
}

// TestLabelCategories labels posts of an opinion monitor with its categories.
func TestLabelCategories(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("tarrowick")
	posts := opinions(word)
	c.importPosts(posts...)
	id := c.addMonitor(w, fields{"name": word, "type": "OPINION", "keywords": word, "categories": []fields{{"name": "Taste"}, {"name": "Price"}}}, len(posts))
	at := fmt.Sprintf("/manage/v1/monitors/%d", id)
	for category, texts := range map[string][]string{"Taste": tastes, "Price": costs} {
		var documents []fields
		for i, text := range texts {
			documents = append(documents, fields{
				"url": fmt.Sprintf("https://example.com/%s/%s/%d", word, category, i), "contents": text, "title": word,
				"date": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "author": "ann", "language": "en",
			})
		}
		c.send("POST", at+"/training", fields{"category": category, "documents": documents}, nil)
	}
	c.waitUntil("the model is trained", func() bool {
		var model struct{ State string }
		c.get(at+"/model", &model)
		return model.State == "ready"
	})
	c.send("POST", at+"/samples", fields{"posts": 2}, nil)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/label", id))
	p.WaitFor(`group "Category of the post" >> button "Price"`)
	p.WaitFor(`region "Post to label" >> article`)
	p.Press("2")
	p.WaitUntil(`document.querySelector("section[aria-label='Post to label'] > [role=status]").innerText.startsWith("Labeled Price. Post 2 of 2: ")`)
	p.Click(`button "Taste"`)
	waitForText(p, "You have labeled all posts")
	waitForText(p, "demo 2")
	p.AxeInTurn()
}

// unlabeled returns the keys of the posts of a monitor's samples that a user has not labeled.
func unlabeled(c *apiClient, monitor int64) (keys []string) {
	c.t.Helper()
	var next struct{ Items []struct{ Key string } }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/labels/next", monitor), &next)
	for _, item := range next.Items {
		keys = append(keys, item.Key)
	}
	return keys
}

// feelings returns posts that say how people feel about a thing, in many words.
func feelings(word string) (all []fields) {
	texts := []string{
		"I love my %s, it is wonderful and made me so happy", "Best thing I bought in years: the %s is fantastic",
		"The %s arrives in shops on Monday", "Does anybody know how large the %s is?", "A picture of the %s next to a table",
		"I hate the %s, it broke again, terrible quality", "What a disappointing %s. Never again, I am furious", "The %s is awful and the service is rude",
	}
	for i := range 80 {
		text := fmt.Sprintf(texts[i%len(texts)], word)
		date := time.Now().Add(-time.Duration(i+1) * 5 * time.Hour)
		all = append(all, fields{"type": "Forums", "guid": fmt.Sprintf("%s-%d", word, i), "date": date, "contents": fmt.Sprintf("%s (number %d)", text, i), "language": "en"})
	}
	return all
}

// labeledPosts selects how many posts are labeled.
const labeledPosts = `region "Progress" >> strong`

// A labelTest labels the posts of a monitor.
type labelTest struct {
	t *testing.T
	p *browsertest.Page
}

// post waits for a post with a text other than the one before, and returns its text.
func (l labelTest) post(before string) string {
	l.t.Helper()
	const text = `document.querySelector("section[aria-label='Post to label'] .post-text p")?.innerText.trim()`
	l.p.WaitUntil(fmt.Sprintf(`![undefined, %s].includes(%s)`, quoteJS(before), text))
	return l.p.Text(`region "Post to label" >> .post-text p`)
}

// label labels the post after one with a given text, when n posts are labeled, and returns its text.
func (l labelTest) label(before string, n int) string {
	l.t.Helper()
	text := l.post(before)
	l.p.WaitText(labeledPosts, fmt.Sprintf("%d of 50", n))
	key := "2"
	switch {
	case strings.Contains(text, "love"), strings.Contains(text, "Best"):
		key = "1"
	case strings.Contains(text, "hate"), strings.Contains(text, "disappointing"), strings.Contains(text, "awful"):
		key = "3"
	}
	l.p.Press(key)
	return text
}

var interval = regexp.MustCompile(`\(([\d.]+)–([\d.]+)%\)`)

// widths returns the widths of the intervals of positive, neutral and negative, in percentage points.
func (l labelTest) widths() (list []float64) {
	l.t.Helper()
	l.p.WaitFor(`region "Shares" >> .num`)
	for _, text := range l.p.Texts(`region "Shares" >> .num`) {
		bounds := interval.FindStringSubmatch(text)
		if bounds == nil {
			l.t.Fatalf("the share %q has no interval", text)
		}
		low, _ := strconv.ParseFloat(bounds[1], 64)
		high, _ := strconv.ParseFloat(bounds[2], 64)
		list = append(list, high-low)
	}
	if len(list) != 3 {
		l.t.Fatalf("got %d shares, want 3", len(list))
	}
	return list
}
