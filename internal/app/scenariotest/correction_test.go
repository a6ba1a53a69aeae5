package scenariotest

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/operate"
	"earshot/internal/operate/backup"
)

// TestCorrectionsCountEverywhere corrects random posts of a monitor. Everything that shows the monitor
// must then agree with the corrected posts, and everything that shows other monitors must stay the
// same, also after posts were edited and deleted, models were refreshed, and a backup was restored.
func TestCorrectionsCountEverywhere(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := &correctedWorld{world: newWorld(t, seed+20), labels: map[string]postLabels{}}
			w.change()
			before := w.others()
			w.correct(60)
			w.check("corrected")
			if after := w.others(); !maps.Equal(before, after) {
				t.Error("metrics of other monitors changed")
			}
			w.change()
			w.check("edited")
			w.refreshModels()
			w.check("with refreshed models")
			if err := w.app.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.check("compacted")
			w.restoreBackup()
			w.check("restored")
			w.takeBack()
			w.check("taken back")
			if w.explained == 0 {
				t.Error("no explanation names a sentiment")
			}
		})
	}
}

// A correctedWorld is a world in which posts of the first monitor are corrected.
type correctedWorld struct {
	*world
	labels map[string]postLabels // by key of the post

	explained int // sentiments that explanations named
}

// postLabels are the corrected labels of a post; empty: as inferred.
type postLabels struct{ Sentiment, Emotion string }

// A shownPost is a post as the management API lists it.
type shownPost struct {
	Key                                   string
	Author                                string
	AssignedCategoryID, AssignedEmotionID int64
	Correction                            *postLabels
}

func (w *correctedWorld) monitor() monitorCase { return w.monitors[0] }

const correctedDays = "start=2026-03-01&end=2026-04-20"

// list returns the posts of the first monitor.
func (w *correctedWorld) list(filter string) []shownPost {
	w.Helper()
	var list struct {
		Items []shownPost
		Total int
	}
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/posts?%s&limit=500&filter=%s", w.monitor().id, correctedDays, url.QueryEscape(filter)), &list)
	if len(list.Items) != list.Total {
		w.Fatalf("got %d of %d posts", len(list.Items), list.Total)
	}
	return list.Items
}

// correct corrects n posts of the first monitor.
func (w *correctedWorld) correct(n int) {
	w.Helper()
	posts := w.list("")
	w.Shuffle(len(posts), func(i, j int) { posts[i], posts[j] = posts[j], posts[i] })
	for _, p := range posts[:min(n, len(posts))] {
		labels := postLabels{
			Sentiment: []string{"", "positive", "neutral", "negative"}[w.IntN(4)],
			Emotion:   strings.ToLower(earshot.BasicEmotions[w.IntN(len(earshot.BasicEmotions))]),
		}
		if labels.Sentiment != "" && w.IntN(2) == 0 {
			labels.Emotion = ""
		}
		var answer postLabels
		w.call("PUT", w.path(p.Key), fmt.Sprintf(`{"sentiment":%q,"emotion":%q}`, labels.Sentiment, labels.Emotion), &answer)
		w.labels[p.Key] = labels
	}
}

func (w *correctedWorld) path(key string) string {
	return fmt.Sprintf("/manage/v1/monitors/%d/posts/%s/correction", w.monitor().id, key)
}

// takeBack takes all corrections back.
func (w *correctedWorld) takeBack() {
	w.Helper()
	for key := range w.labels {
		r := httptest.NewRequest("DELETE", w.path(key), nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		recorder := httptest.NewRecorder()
		if w.app.Handler().ServeHTTP(recorder, r); recorder.Code != 204 {
			w.Fatalf("%s: got %d %s", w.path(key), recorder.Code, recorder.Body)
		}
	}
	clear(w.labels)
}

// check compares everything that shows the first monitor with its posts.
func (w *correctedWorld) check(when string) {
	w.Helper()
	if w.Failed() {
		w.FailNow()
	}
	var m struct{ Categories, Emotions []countedItem }
	w.get(fmt.Sprintf("/manage/v1/monitors/%d", w.monitor().id), &m)
	posts := w.list("")
	counts := map[string]int64{} // posts by ID of their category or emotion
	corrected := 0
	for _, p := range posts {
		counts[fmt.Sprint(p.AssignedCategoryID)]++
		counts[fmt.Sprint(p.AssignedEmotionID)]++
		labels := w.labels[p.Key]
		if labels == (postLabels{}) {
			if p.Correction != nil {
				w.Errorf("%s: %s is corrected to %v", when, p.Key, *p.Correction)
			}
			continue
		}
		corrected++
		if p.Correction == nil || *p.Correction != labels {
			w.Fatalf("%s: %s has correction %v, want %v", when, p.Key, p.Correction, labels)
		}
		if i, want := w.index(m.Categories, "Basic "+labels.Sentiment), labels.Sentiment; want != "" && m.Categories[i].id() != fmt.Sprint(p.AssignedCategoryID) {
			w.Errorf("%s: %s is in category %d, want %s", when, p.Key, p.AssignedCategoryID, want)
		}
		if i, want := w.index(m.Emotions, labels.Emotion), labels.Emotion; want != "" && m.Emotions[i].id() != fmt.Sprint(p.AssignedEmotionID) {
			w.Errorf("%s: %s has emotion %d, want %s", when, p.Key, p.AssignedEmotionID, want)
		}
	}
	if len(w.labels) > 0 && corrected < len(w.labels)/3 {
		w.Errorf("%s: only %d of %d corrections are left", when, corrected, len(w.labels))
	}
	for _, of := range []int64{w.monitor().id, w.monitor().filter} {
		w.compare(w.monitor(), of)
		w.compareOverview(of)
	}
	w.checkCounts(when, append(m.Categories, m.Emotions...), counts)
	w.checkLists(when, posts, corrected)
}

// index returns the index of the item with a name, or 0.
func (w *correctedWorld) index(items []countedItem, name string) int {
	return max(0, slices.IndexFunc(items, func(c countedItem) bool { return strings.EqualFold(c.Name, name) }))
}

// checkCounts compares the pages of the web app with the number of posts by category and emotion.
func (w *correctedWorld) checkCounts(when string, items []countedItem, want map[string]int64) {
	w.Helper()
	id := w.monitor().id
	check := func(page string, got ...[]countedItem) {
		w.Helper()
		if len(slices.Concat(got...)) == 0 {
			w.Errorf("%s: %s has no categories and emotions", when, page)
		}
		for _, item := range slices.Concat(got...) {
			if item.Posts != want[item.id()] {
				w.Errorf("%s: %s has %d posts with %s, want %d", when, page, item.Posts, item.Name, want[item.id()])
			}
		}
	}
	var o overview
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?%s", id, correctedDays), &o)
	check("overview", o.Categories, o.Emotions)
	if len(o.Categories)+len(o.Emotions) != len(items) {
		w.Errorf("%s: the overview has %d categories and emotions, want %d", when, len(o.Categories)+len(o.Emotions), len(items))
	}
	var compared struct {
		Rows []struct{ Categories, Emotions []countedItem }
	}
	w.send("/manage/v1/compare", fmt.Sprintf(`{"rows":[{"monitor":%d,"start":"2026-03-01","end":"2026-04-20"},{"monitor":%d,"start":"2026-03-01","end":"2026-04-20"}]}`, id, w.monitors[1].id), &compared)
	check("comparison", compared.Rows[0].Categories, compared.Rows[0].Emotions)
	for _, kind := range []string{"sentiment", "emotions"} {
		var card struct {
			Overview overview
		}
		w.send("/manage/v1/cards", fmt.Sprintf(`{"kind":%q,"monitor":%d,"start":"2026-03-01","end":"2026-04-20"}`, kind, id), &card)
		check("card "+kind, card.Overview.Categories, card.Overview.Emotions)
	}
	count := func(filter string) int64 {
		var n overview
		w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?%s&parts=sources&filter=%s", id, correctedDays, url.QueryEscape(filter)), &n)
		return n.Posts
	}
	for _, item := range items {
		if got := count("category:" + item.id()); got != want[item.id()] {
			w.Errorf("%s: %d posts with filter %s, want %d", when, got, item.Name, want[item.id()])
		}
		if got, all := count("-category:"+item.id()), o.Posts; got != all-want[item.id()] {
			w.Errorf("%s: %d posts without %s, want %d", when, got, item.Name, all-want[item.id()])
		}
	}
	var explained struct {
		Sentiment []struct {
			Posts  int64
			Filter string
		}
	}
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/explanation?%s", id, "start=2026-03-29&end=2026-03-30"), &explained)
	w.explained += len(explained.Sentiment)
	for _, s := range explained.Sentiment {
		var n overview
		w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?start=2026-03-29&end=2026-03-30&parts=sources&filter=%s", id, url.QueryEscape(s.Filter)), &n)
		if n.Posts != s.Posts {
			w.Errorf("%s: the explanation has %d posts with %s, want %d", when, s.Posts, s.Filter, n.Posts)
		}
	}
	var topics struct {
		Topics []struct {
			Filter    string
			Sentiment []countedItem
		}
	}
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/topics?%s", id, correctedDays), &topics)
	if len(topics.Topics) == 0 || len(topics.Topics[0].Sentiment) == 0 {
		w.Errorf("%s: there are no topics with sentiments", when)
	}
	for _, topic := range topics.Topics {
		for _, s := range topic.Sentiment {
			if got := count(topic.Filter + "|category:" + s.id()); got != s.Posts {
				w.Errorf("%s: the topic %s has %d posts with %s, want %d", when, topic.Filter, s.Posts, s.Name, got)
			}
		}
	}
}

// checkLists compares the lists of posts, the filter corrected, and the exports.
func (w *correctedWorld) checkLists(when string, posts []shownPost, corrected int) {
	w.Helper()
	if yes, no := len(w.list("corrected:yes")), len(w.list("corrected:no")); yes != corrected || no != len(posts)-corrected {
		w.Errorf("%s: %d posts are corrected and %d are not, want %d and %d", when, yes, no, corrected, len(posts)-corrected)
	}
	byKey := map[string]shownPost{}
	for _, p := range posts {
		byKey[p.Key] = p
	}
	for _, order := range []string{"engagement&group=true", "reach", "oldest&filter=corrected:yes", "newest&filter=sentiment:negative"} {
		var sorted struct{ Items []shownPost }
		w.get(fmt.Sprintf("/manage/v1/monitors/%d/posts?%s&limit=500&sort=%s", w.monitor().id, correctedDays, order), &sorted)
		for _, p := range sorted.Items {
			if want := byKey[p.Key]; p.AssignedCategoryID != want.AssignedCategoryID || p.AssignedEmotionID != want.AssignedEmotionID {
				w.Errorf("%s: sorted by %s, %s has %d and %d, want %d and %d", when, order, p.Key, p.AssignedCategoryID, p.AssignedEmotionID, want.AssignedCategoryID, want.AssignedEmotionID)
			}
		}
	}
	for key, labels := range w.labels {
		if _, stored := byKey[key]; !stored {
			continue
		}
		var p shownPost
		w.get(fmt.Sprintf("/manage/v1/monitors/%d/posts/%s", w.monitor().id, key), &p)
		if want := byKey[key]; p.AssignedCategoryID != want.AssignedCategoryID || p.AssignedEmotionID != want.AssignedEmotionID || p.Correction == nil {
			w.Errorf("%s: %s is shown as %+v, want %v", when, key, p, labels)
		}
	}
	exported := map[string]int64{}
	for _, row := range w.rows(w.file(fmt.Sprintf("/manage/v1/monitors/%d/export?%s", w.monitor().id, correctedDays))) {
		exported[row["category"]]++
		exported["emotion "+row["emotion"]]++
	}
	var o overview
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?%s&parts=categories,emotions", w.monitor().id, correctedDays), &o)
	for _, c := range o.Categories {
		if exported[c.Name] != c.Posts {
			w.Errorf("%s: %d exported posts are %s, want %d", when, exported[c.Name], c.Name, c.Posts)
		}
	}
	for _, c := range o.Emotions {
		if exported["emotion "+c.Name] != c.Posts {
			w.Errorf("%s: %d exported posts have %s, want %d", when, exported["emotion "+c.Name], c.Name, c.Posts)
		}
	}
	examples := w.rows(w.file(fmt.Sprintf("/manage/v1/monitors/%d/corrections/export", w.monitor().id)))
	if len(examples) != corrected {
		w.Errorf("%s: %d corrections are exported, want %d", when, len(examples), corrected)
	}
}

// others returns responses about monitors that are not corrected.
func (w *correctedWorld) others() map[string]string {
	all := map[string]string{}
	for _, m := range w.monitors[1:] {
		for _, id := range []int64{m.id, m.filter} {
			for _, path := range []string{
				fmt.Sprintf("/manage/v1/monitors/%d/overview?%s", id, correctedDays), fmt.Sprintf("/manage/v1/monitors/%d/posts?%s&limit=500", id, correctedDays),
				fmt.Sprintf("/api/monitor/results?id=%d&%s", id, correctedDays), fmt.Sprintf("/api/monitor/posts?id=%d&%s", id, correctedDays),
			} {
				all[path] = w.file(path)
			}
		}
	}
	return all
}

// refreshModels runs the models on all stored posts again.
func (w *correctedWorld) refreshModels() {
	w.Helper()
	var models struct {
		Refresh struct{ State, Message string }
	}
	w.send("/manage/v1/models/refresh?all=true", "", &models)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		switch w.get("/manage/v1/models", &models); {
		case models.Refresh.State == "done" || models.Refresh.State == "idle":
			return
		case models.Refresh.State == "failed" || time.Now().After(deadline):
			w.Fatalf("refresh: %+v", models)
		}
	}
}

// restoreBackup continues with an app that a backup was restored to.
func (w *world) restoreBackup() {
	w.Helper()
	r := httptest.NewRequest("POST", "/manage/v1/backup", nil)
	r.Header.Set("Authorization", "Bearer "+w.token)
	recorder := httptest.NewRecorder()
	if w.app.Handler().ServeHTTP(recorder, r); recorder.Code != 200 {
		w.Fatalf("backup: got %d", recorder.Code)
	}
	dir := filepath.Join(w.TempDir(), "backup")
	if _, err := backup.Unpack(bytes.NewReader(recorder.Body.Bytes()), dir); err != nil {
		w.Fatal(err)
	}
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.RestrictedSources = w.TempDir(), 0, nil
	if _, err := operate.Restore(w.Context(), dir, cfg, slog.New(slog.DiscardHandler)); err != nil {
		w.Fatal(err)
	}
	w.app.Close()
	w.open(cfg)
}
