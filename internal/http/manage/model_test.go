package manage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"earshot/internal/model/training"
)

// teach adds training posts that all say the same thing to a category.
func (w *trainingWorld) teach(category, word string, posts int) {
	w.t.Helper()
	var docs []string
	for i := range posts {
		docs = append(docs, doc(fmt.Sprintf("http://e.com/%s/%d", category, i), fmt.Sprintf("%s number %d", word, i)))
	}
	got := w.do("ann", "POST", fmt.Sprintf("/%d/training", w.monitor.ID), fmt.Sprintf(`{"category":"%s","documents":[%s]}`, category, strings.Join(docs, ",")))
	if !strings.HasPrefix(got, "201") {
		w.t.Fatalf("got %s", got)
	}
}

// model returns the response to GET model.
func (w *trainingWorld) model() (m training.Info) {
	w.t.Helper()
	got := w.do("ann", "GET", fmt.Sprintf("/%d/model", w.monitor.ID), "")
	if err := json.Unmarshal([]byte(strings.TrimPrefix(got, "200 ")), &m); err != nil {
		w.t.Fatalf("got %s", got)
	}
	return m
}

func TestModelStates(t *testing.T) {
	w := newTrainingWorld(t)
	f := func(state, missing string, posts int, changed bool, learntFrom int) {
		t.Helper()
		m := w.model()
		from := 0
		if m.Report != nil {
			from = m.Report.TrainingPosts
		}
		if m.State != state || m.Missing != missing || m.TrainingPosts != posts || m.Changed != changed || from != learntFrom || (m.TrainedAt != nil) != (from > 0) {
			t.Errorf("got %+v, trained on %d, want %s, %s, %d, %v, %d", m, from, state, missing, posts, changed, learntFrom)
		}
	}
	needs := func(what string) string {
		return fmt.Sprintf("Monitor %d needs more training: every category needs at least 10 training posts, %s", w.monitor.ID, what)
	}
	f("untrained", needs("Like has 0, Dislike has 0"), 0, false, 0)
	w.f("ann", "GET /model", "", fmt.Sprintf(`200 {"monitor":%d,"state":"untrained","missing":"%s","trainingPosts":0,"changed":false,"trainedAt":null,"learntAt":null,"sufficient":false,"advice":[`+
		`"Like has 0 training posts; a category needs at least 10.","Dislike has 0 training posts; a category needs at least 10."]}`, w.monitor.ID, needs("Like has 0, Dislike has 0")))
	w.teach("Like", "lovely", 12)
	f("untrained", needs("Dislike has 0"), 12, false, 0)
	w.learner.idle = true
	w.teach("Dislike", "awful", 12)
	f("learning", "", 24, false, 0)
	w.learner.idle = false
	w.learner.Rematch(w.monitor.ID)
	f("ready", "", 24, false, 24)
	w.teach("Off-topic", "weather", 10)
	f("ready", "", 34, false, 34)

	// A new category without training posts: the existing model stays in use.
	w.do("ann", "PATCH", fmt.Sprintf("/%d", w.monitor.ID), `{"categories":[{"name":"Like"},{"name":"Dislike"},{"name":"Off-topic"},{"name":"Price"}]}`)
	f("ready", needs("Price has 0"), 34, false, 34)
	w.teach("Like", "lovely", 13)
	f("ready", needs("Price has 0"), 35, true, 34)

	// Removing a category also removes its training posts.
	w.do("ann", "PATCH", fmt.Sprintf("/%d", w.monitor.ID), `{"categories":[{"name":"Like"},{"name":"Dislike"}]}`)
	f("ready", "", 25, false, 25)
}

// insufficient is the beginning of the advice for a model whose training posts do not suffice.
const insufficient = "There are not enough training posts to estimate proportions"

// TestInsufficientTraining trains a model on posts that all say the same. The first advice is to add
// training posts, until there are enough that differ.
func TestInsufficientTraining(t *testing.T) {
	w := newTrainingWorld(t)
	w.learner.idle = true
	w.teach("Like", "thing", 12)
	w.teach("Dislike", "thing", 12)
	w.learner.idle = false
	w.teach("Off-topic", "thing", 12)
	if m := w.model(); m.State != "ready" || m.Sufficient || len(m.Advice) == 0 || !strings.HasPrefix(m.Advice[0], insufficient) {
		t.Errorf("got %s, sufficient %v, advice %q, want the advice that there are not enough training posts first", m.State, m.Sufficient, m.Advice)
	}
	w.learner.idle = true
	for _, c := range []struct{ category, word string }{{"Like", "lovely"}, {"Dislike", "awful"}} {
		w.teach(c.category, c.word, 60)
	}
	w.learner.idle = false
	w.teach("Off-topic", "weather", 60)
	if m := w.model(); m.State != "ready" || !m.Sufficient || len(m.Advice) > 0 && strings.HasPrefix(m.Advice[0], insufficient) {
		t.Errorf("got %s, sufficient %v, advice %q, want a sufficient model", m.State, m.Sufficient, m.Advice)
	}
}
