package webtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/test/webtest/browsertest"
)

// TestTraining labels posts with the number keys until there is a model, and compares the model page
// with the API.
func TestTraining(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("quandrille")
	posts := opinions(word)
	c.importPosts(posts...)
	id := c.addMonitor(w, fields{"name": word, "type": "OPINION", "keywords": word, "categories": []fields{{"name": "Taste"}, {"name": "Price"}}}, len(posts))
	at := fmt.Sprintf("/monitors/%d/train", id)
	tr := trainingTest{t: t, p: w.signedIn(t, at), c: c, id: id}
	p := tr.p

	tr.checkCounts("0 10 more needed", "0 10 more needed")
	first := tr.card()
	p.Press("0")
	p.WaitText(lastDecision, "Skipped.")
	if got := tr.card(); got == first {
		t.Errorf("after a skip the card is still %q", got)
	}
	p.Press("u")
	p.WaitText(lastDecision, "")
	if got := tr.card(); got != first {
		t.Errorf("undo brings %q back, want %q", got, first)
	}
	p.Press("2")
	p.WaitText(lastDecision, "Labeled Price. 1 post this session.")
	tr.checkCounts("0 10 more needed", "1 9 more needed")
	p.Press("Control+z")
	p.WaitText(lastDecision, "")
	tr.checkCounts("0 10 more needed", "0 10 more needed")
	p.AxeInTurn()

	tr.label(10)
	tr.checkCounts("10 enough", "10 enough")
	waitForText(p, "Up to date with all training posts (trained ")
	tr.checkPrediction()
	p.AxeInTurn()
	tr.checkReport()
	tr.checkShares()
	p.AxeInTurn()
}

// tastes and costs are distinct texts about the taste and the price of a product.
var (
	tastes = []string{
		"has a sour taste, like lemons left in the sun", "and its sweet taste surprised my grandmother at breakfast", "left a bitter taste on my tongue for hours",
		"wins by its rich taste of nuts and smoke", "without any taste at all, I poured it away", "with milk: what a soft, round taste",
		"gets a stale taste when the bag stays open", "made me love the taste of cherries again", "was served cold, and the taste suffered",
		"keeps its taste through the whole winter", "divides our office: half of us adore the taste", "needs sugar, or the taste is too harsh",
		"tested blind by twelve cooks, who praised its taste", "and the taste of burnt rubber go together",
	}
	costs = []string{
		"doubled its price overnight without a word", "at half price in the supermarket near the station", "asks a price that only bankers can pay",
		"fell in price again, finally something good", "for that price should come with a golden spoon", "compared with others has a fair price per kilo",
		"hides its real price behind vouchers", "subscriptions: the price climbs every spring", "costs my students too much, a price war would help",
		"importers blame customs for the new price", "and the price tag was wrong at the till", "bought in bulk brings the price down by a third",
		"on sale until Friday, the price is a joke", "raised no price for ten years, respect",
	}
)

// opinions returns posts about the taste and the price of a product.
func opinions(word string) (all []fields) {
	for i, text := range append(slices.Clone(tastes), costs...) {
		date := time.Now().Add(-time.Duration(i+1) * time.Hour)
		all = append(all, fields{"type": "Forums", "guid": fmt.Sprintf("%s-%d", word, i), "date": date, "contents": word + " " + text, "language": "en"})
	}
	return all
}

// lastDecision selects the text that announces the last decision.
const lastDecision = `region "Post to label" >> [role=status]`

// A trainingTest trains a monitor.
type trainingTest struct {
	t  *testing.T
	p  *browsertest.Page
	c  *apiClient
	id int64
}

// card returns the text of the post to label.
func (l trainingTest) card() string { return l.p.Text(`region "Post to label" >> .post-text p`) }

// checkCounts checks the numbers of training posts on the page and in the API.
func (l trainingTest) checkCounts(taste, price string) {
	l.t.Helper()
	waitTexts(l.p, `[aria-label="Training posts by category"] .num`, taste, price)
	var monitor struct {
		Categories []struct{ TrainingDocs int }
	}
	l.c.get(fmt.Sprintf("/manage/v1/monitors/%d", l.id), &monitor)
	for i, said := range []string{taste, price} {
		if want, _, _ := strings.Cut(said, " "); fmt.Sprint(monitor.Categories[i].TrainingDocs) != want {
			l.t.Errorf("category %d has %d training posts, the page says %s", i+1, monitor.Categories[i].TrainingDocs, want)
		}
	}
}

// label labels the given number of posts per category, and skips the others.
func (l trainingTest) label(each int) {
	l.t.Helper()
	have, sum := map[string]int{}, 0
	for before := ""; sum < 2*each; {
		l.p.WaitUntil(fmt.Sprintf(`document.querySelector("section .post-text p")?.innerText.trim() !== %s`, quoteJS(before)))
		before = l.card()
		key, name := "1", "Taste"
		if strings.Contains(before, "price") {
			key, name = "2", "Price"
		}
		if have[key] == each {
			l.p.Press("s")
			continue
		}
		have[key]++
		sum++
		l.p.Press(key)
		l.p.WaitUntil(fmt.Sprintf(`document.querySelector("section[aria-label='Post to label'] > .spread [role=status]").innerText.startsWith("Labeled %s. %d post")`, name, sum))
	}
}

// checkPrediction skips the card that was shown before the model was trained, and the one after it if
// the page had no time to load new suggestions. The next card has a prediction.
func (l trainingTest) checkPrediction() {
	l.t.Helper()
	for range 2 {
		before := l.card()
		l.p.Press("0")
		l.p.WaitUntil(fmt.Sprintf(`(document.querySelector("section .post-text p")?.innerText.trim() ?? %[1]s) !== %[1]s`, quoteJS(before)))
		if strings.Contains(l.p.Text(`region "Post to label"`), "Prediction: ") {
			return
		}
	}
	l.t.Error("no card has a prediction")
}

// checkReport compares the metrics of the model on the page with the API.
func (l trainingTest) checkReport() {
	l.t.Helper()
	var model struct {
		State         string
		TrainingPosts int
		Report        struct {
			Accuracy, MacroF1, CalibrationError float64
			Categories                          []struct {
				Category              string
				TrainingPosts         int
				Precision, Recall, F1 float64
				Forecast              float64
			}
			Confusion []struct {
				Category  string
				Predicted []int
			}
		}
	}
	l.p.Click(`button "Model"`)
	l.p.WaitFor(`region "Accuracy"`)
	l.c.get(fmt.Sprintf("/manage/v1/monitors/%d/model", l.id), &model)
	if model.State != "ready" || model.TrainingPosts != 20 {
		l.t.Errorf("the model is %s with %d training posts, want ready with 20", model.State, model.TrainingPosts)
	}
	for name, want := range map[string]string{
		"Accuracy": percent(model.Report.Accuracy), "Macro F1": percent(model.Report.MacroF1),
		"Calibration error": percent(model.Report.CalibrationError), "Trained on": "20",
	} {
		if got := l.p.Text(fmt.Sprintf(`region "%s" >> .figure`, name)); got != want {
			l.t.Errorf("%s: the page says %s, want %s", name, got, want)
		}
	}
	var quality, confusion [][]string
	for i, c := range model.Report.Categories {
		quality = append(quality, row(c.Category, c.TrainingPosts, c.Precision, c.Recall, c.F1, c.Forecast))
		of := model.Report.Confusion[i]
		confusion = append(confusion, row(of.Category, of.Predicted[0], of.Predicted[1]))
	}
	l.p.Click(`button "Accuracy by category: show table"`)
	checkRows(l.t, "quality", rows(l.p, "Accuracy by category: table"), quality)
	checkRows(l.t, "confusion", rows(l.p, "Confusion matrix: table"), confusion)
}

// percent formats a share as pages do: 43%, with one decimal below 10%.
func percent(share float64) string {
	p := share * 100
	if p != 0 && p < 9.95 {
		return formatDecimal(p, 1) + "%"
	}
	return formatDecimal(p, 0) + "%"
}

// checkShares compares the category shares by day and their intervals with the API.
func (l trainingTest) checkShares() {
	l.t.Helper()
	var answer struct {
		Days []struct {
			Date       string
			Posts      int
			Categories []struct{ Proportion, Low, High float64 }
		}
	}
	l.c.get(fmt.Sprintf("/manage/v1/monitors/%d/proportions", l.id), &answer)
	var want [][]string
	for _, d := range answer.Days {
		date, err := time.Parse(time.DateOnly, d.Date)
		if err != nil {
			l.t.Fatal(err)
		}
		cells := row(date.Format("Jan 2, 2006"), d.Posts)
		for _, c := range d.Categories {
			cells = append(cells, row(c.Proportion, c.Low, c.High)...)
		}
		want = append(want, cells)
	}
	if len(want) != 30 {
		l.t.Errorf("got %d days with shares, want 30", len(want))
	}
	l.p.Click(`button "Category shares by day: show table"`)
	checkRows(l.t, "shares", rows(l.p, "Category shares by day: table"), want)
}
