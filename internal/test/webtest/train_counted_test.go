package webtest

import (
	"fmt"
	"testing"
	"time"
)

// TestTooFewTrainingPosts trains a model on posts whose categories nobody can tell apart. The page says
// that shares are counted, and advises to add training posts.
func TestTooFewTrainingPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("quorrel")
	posts := opinions(word)
	c.importPosts(posts...)
	id := c.addMonitor(w, fields{"name": word, "type": "OPINION", "keywords": word, "categories": []fields{{"name": "Taste"}, {"name": "Price"}}}, len(posts))
	at := fmt.Sprintf("/manage/v1/monitors/%d", id)
	for _, category := range []string{"Taste", "Price"} {
		var documents []fields
		for i := range 12 {
			documents = append(documents, fields{
				"url": fmt.Sprintf("https://example.com/%s/%s/%d", word, category, i), "contents": fmt.Sprintf("%s is a thing, number %d", word, i),
				"date": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "author": "ann", "language": "en", "title": "A thing",
			})
		}
		c.send("POST", at+"/training", fields{"category": category, "documents": documents}, &struct{}{})
	}
	var model struct {
		State      string
		Sufficient bool
		Advice     []string
	}
	c.waitUntil("the model is trained", func() bool {
		c.get(at+"/model", &model)
		return model.State == "ready"
	})
	var shares struct{ Method string }
	c.get(at+"/proportions", &shares)
	if model.Sufficient || len(model.Advice) == 0 || shares.Method != "classifyAndCount" {
		t.Fatalf("got a sufficient model %v with advice %q, and method %q, want counting", model.Sufficient, model.Advice, shares.Method)
	}
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/train?show=model", id))
	waitForText(p, "There are not enough training posts to estimate shares: these are counts of assigned posts, with wide 95% confidence intervals.")
	waitForText(p, model.Advice[0])
	p.AxeInTurn()
}
