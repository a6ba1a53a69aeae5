package analysis

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/ledger"
)

// A Store counts and lists posts.
type Store interface {
	poststore.Counter
	Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error)
	Rank(ctx context.Context, of poststore.Selection, r poststore.Ranking) (poststore.Ranked, error)
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
}

// narrow returns the posts of a request that a refinement selects.
func narrow(r *ledger.Request, refinement poststore.Selection) (poststore.Selection, *watchlist.Condition, error) {
	where, err := condition(r)
	if err != nil {
		return refinement, nil, err
	}
	if refinement.From.Before(r.Start) {
		refinement.From = r.Start
	}
	if refinement.To.IsZero() || refinement.To.After(r.End) {
		refinement.To = r.End
	}
	refinement.Where = where.Within(refinement.Where)
	return refinement, where, nil
}

// Posts lists posts of an analysis in an order. These are the posts that are stored now: some may
// have been added or deleted since the metrics were computed. A refinement selects some of them; its
// time range is clipped to that of the analysis.
func (s *Service) Posts(ctx context.Context, r *Result, refinement poststore.Selection, ranking poststore.Ranking) (poststore.Ranked, error) {
	selection, where, err := narrow(&r.Request, refinement)
	if err != nil {
		return poststore.Ranked{}, err
	}
	ranking.Terms = append(where.Terms(), refinement.Where.Terms()...)
	return s.Store.Rank(ctx, selection, ranking)
}

// Post returns a post of an analysis. The error is of kind [earshot.NotFound] if there is no such
// post anymore.
func (s *Service) Post(ctx context.Context, r *Result, key earshot.PostKey) (*earshot.Post, error) {
	where, err := condition(&r.Request)
	if err != nil {
		return nil, err
	}
	found, err := s.Store.Find(ctx, []earshot.PostKey{key})
	if err != nil {
		return nil, err
	}
	for i := range found {
		p := &found[i]
		if !p.Time.Before(r.Request.Start) && p.Time.Before(r.Request.End) && where.Match(query.NewDocument(p)) {
			return p, nil
		}
	}
	return nil, earshot.Errorf(earshot.NotFound, "Post %s does not exist", key.Text())
}

// RankPosition returns the position of a post of an analysis with a score. The error is of kind
// [earshot.NotFound] if there is no such post anymore.
func (s *Service) RankPosition(ctx context.Context, r *Result, key earshot.PostKey, score int64) (poststore.RankPosition, error) {
	p, err := s.Post(ctx, r, key)
	if err != nil {
		return poststore.RankPosition{}, err
	}
	return poststore.RankPosition{Score: score, Time: p.Time, Hash: enginekit.SampleHash(key)}, nil
}

// A Step is an interval of the time range of an analysis, and its posts.
type Step struct {
	Start time.Time
	Posts int64
}

// stepLengths are the possible lengths of steps. The shortest one that divides the range into at
// most maxSteps is used.
var stepLengths = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

const maxSteps = 30

// Volume returns the posts of an analysis over time, in steps of equal length. The last step may be
// shorter. As for [Service.Posts], they are those that are stored now.
func (s *Service) Volume(ctx context.Context, r *Result, refinement poststore.Selection) (steps []Step, length time.Duration, err error) {
	selection, _, err := narrow(&r.Request, refinement)
	if err != nil {
		return nil, 0, err
	}
	start, end := r.Request.Start, r.Request.End
	length = stepLength(end.Sub(start))
	starts := []time.Time{}
	for at := start; at.Before(end); at = at.Add(length) {
		starts = append(starts, at)
	}
	if len(starts) == 0 { // an hour that a clock change skips
		return nil, length, nil
	}
	rows, err := s.Store.Days(ctx, selection, append(starts, end), []poststore.Tally{{}})
	if err != nil {
		return nil, 0, err
	}
	for i, at := range starts {
		steps = append(steps, Step{Start: at})
		for _, row := range rows[0][i] {
			steps[i].Posts += row.Posts
		}
	}
	return steps, length, nil
}

func stepLength(total time.Duration) time.Duration {
	for _, length := range stepLengths {
		if total <= maxSteps*length {
			return length
		}
	}
	return stepLengths[len(stepLengths)-1]
}
