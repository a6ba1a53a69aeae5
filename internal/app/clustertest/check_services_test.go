package clustertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// checkStream lets all readers catch up. Each of them must have received every stored document of
// both monitors at least once, those of one uploader in order; the queue lacks at most the posts of
// lost responses.
func (l *load) checkStream(stored documents) {
	l.c.Helper()
	want := map[delivery]bool{}
	for u, b := range stored {
		want[delivery{u, l.all}] = true
		if b.number%3 == 0 {
			want[delivery{u, l.third}] = true
		}
	}
	l.c.await("the cursor reader has all posts", func() error {
		n, err := l.cursor.read(l.cursor.node())
		if err == nil && n > 0 {
			err = errors.New("there were more")
		}
		return err
	})
	l.checkDeliveries("the cursor reader", l.cursor.got, want)
	l.c.await("the event reader has all posts", func() error {
		seen := map[delivery]bool{}
		for _, d := range l.events.got {
			seen[d] = true
		}
		next := len(l.events.got)
		err := l.events.listen(context.Background(), l.events.node(), func() bool {
			for ; next < len(l.events.got); next++ {
				seen[l.events.got[next]] = true
			}
			return len(seen) >= len(want)
		})
		if err != nil {
			err = fmt.Errorf("it has %d of %d, after event %q: %w", len(seen), len(want), l.events.last, err)
		}
		return err
	})
	l.checkDeliveries("the event reader", l.events.got, want)
	l.c.await("the queue is empty", func() error {
		n, err := l.queue.take(l.queue.node())
		if err == nil && n > 0 {
			err = errors.New("there were more")
		}
		return err
	})
	missing := len(want)
	for d := range first(l.queue.got) {
		if !want[d] {
			l.c.Errorf("the queue reader got %v, which is not stored", d)
		}
		missing--
	}
	if missing > taken*l.queue.lost {
		l.c.Errorf("the queue reader lacks %d posts after %d lost responses of at most %d posts", missing, l.queue.lost, taken)
	}
}

// first returns the index of the first delivery of each post.
func first(got []delivery) map[delivery]int {
	at := map[delivery]int{}
	for i, d := range got {
		if _, again := at[d]; !again {
			at[d] = i
		}
	}
	return at
}

// checkDeliveries checks that a reader got all posts, and those of one uploader and monitor in the
// order of their uploads. A post may come again.
func (l *load) checkDeliveries(reader string, got []delivery, want map[delivery]bool) {
	l.c.Helper()
	at := first(got)
	missing := 0
	for d := range want {
		if _, came := at[d]; !came {
			if missing++; missing <= 3 {
				l.c.Errorf("%s did not get %v", reader, d)
			}
		}
	}
	if missing > 3 {
		l.c.Errorf("%s lacks %d of %d posts", reader, missing, len(want))
	}
	type lane struct {
		uploader string
		monitor  int64
	}
	last := map[lane][2]int{}
	for i, d := range got {
		if at[d] != i {
			continue // again
		}
		if !want[d] {
			l.c.Errorf("%s got %v, which is not stored", reader, d)
			continue
		}
		parts := strings.Split(d.URL, "/")
		number, _ := strconv.Atoi(parts[4])
		index, _ := strconv.Atoi(parts[5])
		key := lane{parts[3], d.MonitorID}
		if before, is := last[key]; is && (number < before[0] || number == before[0] && index < before[1]) {
			l.c.Errorf("%s got %v after number %d of batch %d", reader, d, before[1], before[0])
		}
		last[key] = [2]int{number, index}
	}
}

// checkTraining checks that all nodes have the same training posts and categories: every stored
// document is in one category, the same on all nodes.
func (l *load) checkTraining(stored documents) {
	l.c.Helper()
	var reference []map[string]int
	for _, n := range l.c.nodes {
		var list struct {
			TrainingPosts []struct {
				URL        string
				CategoryID int64
			}
		}
		l.c.must(n, "GET", fmt.Sprintf("/api/monitor/trainingposts?id=%d", l.trainer.monitor), "", &list)
		got := map[string]int64{}
		for _, p := range list.TrainingPosts {
			got[p.URL] = p.CategoryID
		}
		if len(got) != len(list.TrainingPosts) || !maps.Equal(got, l.trainer.known) && !maps.Equal(got, l.trainer.unsure) {
			l.c.Fatalf("node %s has %d training posts, %d different; want the %d that were acknowledged or all %d that were sent",
				n.name, len(list.TrainingPosts), len(got), len(l.trainer.known), len(l.trainer.unsure))
		}
		l.awaitMatched(n, l.trainer.monitor)
		if len(got) < 20 {
			continue // not enough to categorize
		}
		var categories []map[string]int
		total := 0
		for _, category := range l.trainer.categories {
			posts := l.list(n, l.trainer.monitor, fmt.Sprintf("category:%d", category))
			categories = append(categories, posts)
			total += len(posts)
		}
		if total != len(stored) {
			l.c.Errorf("node %s has %d documents in categories, want all %d", n.name, total, len(stored))
		}
		if reference == nil {
			reference = categories
		}
		for i := range categories {
			if !maps.Equal(categories[i], reference[i]) {
				l.c.Errorf("category %d differs between nodes %s and %s: %s", i, n.name, l.c.nodes[0].name, difference(categories[i], reference[i]))
			}
		}
	}
}

// checkAnalyses checks that every accepted analysis has a result, the same on all nodes, and that
// every one is counted once.
func (l *load) checkAnalyses() {
	l.c.Helper()
	a := l.analyst
	for _, id := range a.ids {
		for _, n := range l.c.nodes {
			l.c.await(fmt.Sprintf("result %d is done on node %s", id, n.name), func() error {
				r, ok := a.poll(n, id)
				if !ok || r.Status != "DONE" {
					return fmt.Errorf("it is %q", r.Status)
				}
				return nil
			})
		}
	}
}

// checkUsage checks that all nodes have counted the same documents and analyses: those that were
// acknowledged, and at most those that were sent.
func (l *load) checkUsage() {
	l.c.Helper()
	var documents, sent int64
	for _, u := range l.uploaders {
		for _, b := range u.batches {
			if b.outcome == acknowledged {
				documents += int64(len(b.days))
			}
			if b.outcome != refused {
				sent += int64(len(b.days) * b.attempts)
			}
		}
	}
	l.c.await("all analyses are counted", func() error {
		for _, n := range l.c.nodes {
			var usage struct {
				Queries   struct{ Used int }
				Documents struct{ Today, Limit int64 }
			}
			if err := l.c.try(n, "GET", "/manage/v1/usage", "", &usage); err != nil {
				return err
			}
			if used := usage.Documents.Today; used < documents || used > sent {
				l.c.Fatalf("node %s has counted %d documents, %d were acknowledged and %d were sent", n.name, used, documents, sent)
			}
			if limit := usage.Documents.Limit; limit > 0 && usage.Documents.Today > limit {
				l.c.Fatalf("node %s has counted %d documents, the limit is %d", n.name, usage.Documents.Today, limit)
			}
			if used := usage.Queries.Used; used < len(l.analyst.ids) || used > len(l.analyst.ids)+l.analyst.unsure {
				return fmt.Errorf("node %s has counted %d analyses, want %d and up to %d more", n.name, used, len(l.analyst.ids), l.analyst.unsure)
			}
		}
		return nil
	})
}
