package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/http/client"
	"earshot/internal/ingest/rematch"
	"earshot/internal/model/enrich"
	"earshot/internal/model/opinion"
	"earshot/internal/state/journal"
)

// A TrainingResult is the cost of training an opinion monitor and of scoring all of its posts again
// while others are ingested.
type TrainingResult struct {
	Categories     int     `json:"categories"`
	Documents      int     `json:"documents"`      // in total
	LearnSeconds   float64 `json:"learnSeconds"`   // including cross-validation and report
	ModelBytes     int     `json:"modelBytes"`     // as stored
	Matched        int64   `json:"matched"`        // posts of the monitor
	RetrainSeconds float64 `json:"retrainSeconds"` // from the training request until all results are new
	ScorePerSecond float64 `json:"scorePerSecond"` // posts of the monitor scored in that time
	InPerSecond    float64 `json:"inPerSecond"`    // posts ingested in that time, stored and scored
}

const trainingCategories = 20

// training returns the measurement with a number of training documents per category.
func training(documents int) Bench {
	return Bench{Name: "training", Count: 1_000_000, run: func(ctx context.Context, s *session) (any, error) {
		return s.measureTraining(ctx, documents)
	}}
}

func (s *session) measureTraining(ctx context.Context, documents int) (any, error) {
	result := TrainingResult{Categories: trainingCategories, Documents: trainingCategories * documents}
	posts := s.trainingPosts(documents)
	if err := s.measureTrain(ctx, posts, &result); err != nil || s.serve == nil {
		return result, err
	}
	v, err := s.listen(ctx, filepath.Join(s.dir, "server"))
	if err != nil {
		return nil, err
	}
	defer v.close()
	return result, v.retrain(ctx, posts, &result)
}

// trainingPosts returns training posts by category. The posts of a category have a common word that
// posts of other categories lack.
func (s *session) trainingPosts(documents int) [][]earshot.Post {
	g := s.day()
	g.Raw, g.Seed, g.Count = true, s.seed+1, trainingCategories*documents
	all := make([][]earshot.Post, trainingCategories)
	n := 0
	for posts := range g.Batches(batchSize) {
		for _, p := range posts {
			k := n % trainingCategories
			p.Contents += fmt.Sprintf(" reason%d", k)
			all[k] = append(all[k], p)
			n++
		}
	}
	return all
}

// measureTrain measures training on its own.
func (s *session) measureTrain(ctx context.Context, posts [][]earshot.Post, f *TrainingResult) error {
	complete := enrich.New()
	var docs []opinion.Document
	var ids []earshot.CategoryID
	for k, list := range posts {
		id := earshot.CategoryID(k + 1)
		ids = append(ids, id)
		for _, p := range list {
			docs = append(docs, opinion.Document{Post: p, Category: id})
		}
	}
	for i := range docs {
		one := []earshot.Post{docs[i].Post}
		complete.All(one)
		docs[i].Post = one[0]
	}
	s.logf("training on %d documents", len(docs))
	var model *opinion.Model
	took, err := once(func() (err error) {
		model, err = opinion.Train(ctx, ids, docs)
		return err
	})
	if err != nil {
		return err
	}
	data, err := model.AppendBinary(nil)
	f.LearnSeconds, f.ModelBytes = took.Seconds(), len(data)
	return err
}

// retrain trains a monitor that matches all posts, and then trains it again while posts are
// ingested.
func (v *runningServer) retrain(ctx context.Context, posts [][]earshot.Post, f *TrainingResult) error {
	days := daysFrom(earshot.DateOf(time.Now().UTC()).AddDays(-yearDays), yearDays)
	m, err := v.addOpinions(ctx, days.Start)
	if err != nil {
		return err
	}
	for k, list := range posts {
		if err := v.train(ctx, m, k, list[1:]); err != nil {
			return err
		}
	}
	if err := v.sendPosts(ctx, days); err != nil {
		return err
	}
	if err := v.awaitRematch(ctx, m.ID); err != nil {
		return err
	}
	v.logf("retraining during ingestion")
	running, stop := context.WithCancel(ctx)
	defer stop()
	var taken atomic.Int64
	ended := make(chan error, 1)
	go func() { ended <- v.sendUntilDone(running, &taken) }()
	start := time.Now()
	if err := v.train(ctx, m, 0, posts[0][:1]); err != nil {
		return err
	}
	if err := v.awaitRematch(ctx, m.ID); err != nil {
		return err
	}
	took := time.Since(start)
	stop()
	if err := <-ended; err != nil {
		return err
	}
	f.Matched = int64(v.count)
	f.RetrainSeconds = took.Seconds()
	f.ScorePerSecond = perSecond(v.count, took)
	f.InPerSecond = perSecond(int(taken.Load()), took)
	return nil
}

// An opinionMonitor is a monitor that can be trained.
type opinionMonitor struct {
	ID         earshot.MonitorID
	Categories []struct{ ID earshot.CategoryID }
}

func (v *runningServer) addOpinions(ctx context.Context, start earshot.Date) (m opinionMonitor, err error) {
	var team struct{ ID earshot.TeamID }
	if err := v.post(ctx, "/manage/v1/teams", map[string]any{"name": "Opinions"}, &team); err != nil {
		return m, err
	}
	var categories []map[string]any
	for k := range trainingCategories {
		categories = append(categories, map[string]any{"name": fmt.Sprintf("Reason %d", k)})
	}
	err = v.post(ctx, "/manage/v1/monitors", map[string]any{
		"name": "Everything", "type": earshot.Opinion, "team": team.ID, "keywords": "authorFollowers:[0 TO 1000000000]",
		"start": start.AddDays(-1), "categories": categories,
	}, &m)
	return m, err
}

// train adds training posts to category k.
func (v *runningServer) train(ctx context.Context, m opinionMonitor, k int, posts []earshot.Post) error {
	var docs []map[string]any
	for _, p := range posts {
		docs = append(docs, map[string]any{
			"title": p.Title, "contents": p.Contents, "author": p.Author, "language": "en", "date": p.Time,
			"url": fmt.Sprintf("https://example.com/%s", p.GUID),
		})
	}
	var response struct{ Message string }
	return v.post(ctx, "/api/monitor/train", map[string]any{"id": m.ID, "categoryid": m.Categories[k].ID, "documents": docs}, &response)
}

// awaitRematch waits until rematching of a monitor is complete.
func (v *runningServer) awaitRematch(ctx context.Context, id earshot.MonitorID) error {
	for {
		text, err := v.client.Call(ctx, client.Request{Method: "GET", Path: fmt.Sprintf("/manage/v1/monitors/%d/progress", id)})
		if err != nil {
			return err
		}
		var progress struct{ State rematch.State }
		if err := json.Unmarshal(text, &progress); err != nil {
			return err
		}
		if progress.State == rematch.Done || progress.State == rematch.Idle {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// sendUntilDone sends posts in batches, and counts those that are stored, until running is
// canceled.
func (v *runningServer) sendUntilDone(running context.Context, taken *atomic.Int64) error {
	ctx := context.WithoutCancel(running)
	g := v.day()
	g.Raw, g.Seed = true, v.seed+2
	for posts := range g.Batches(batchSize) {
		if running.Err() != nil {
			return nil
		}
		if _, err := v.server.Append(ctx, journal.Entry{Posts: posts}); err != nil {
			return err
		}
		if err := v.server.CatchUp(ctx); err != nil {
			return err
		}
		taken.Add(int64(len(posts)))
	}
	return nil
}
