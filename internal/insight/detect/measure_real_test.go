package detect_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"earshot/internal/insight/detect"
)

// realPosts is the directory of real posts, whose times are a background of signals.
const realPosts = "../../../../shared/data/posts"

// A RealResult is the alarms on real posts.
type RealResult struct {
	Name string `json:"name"`
	// Times is "as posted", where alarms include real events; "days moved", where each day is a real
	// one of the same weekday up to four weeks away; or "posts moved", where each post keeps its hour
	// of the week and moves by up to four weeks, so that no event is left.
	Times string    `json:"times"`
	Level float64   `json:"postsPerHour"`
	Years float64   `json:"years"`
	Rates []float64 `json:"alarmsPerYear"` // by sensitivity
}

// realSources are the files with real times of day, and the range in which they have posts.
var realSources = []struct {
	name, file, language string
	from, to             time.Time
}{
	{"tweets", "twitter_posts", "", time.Date(2015, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2017, 10, 1, 0, 0, 0, 0, time.UTC)},
	{"tweets, en", "twitter_posts", "en", time.Date(2015, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2017, 10, 1, 0, 0, 0, 0, time.UTC)},
	{"tweets, ru", "twitter_posts", "ru", time.Date(2015, 6, 1, 0, 0, 0, 0, time.UTC), time.Date(2017, 10, 1, 0, 0, 0, 0, time.UTC)},
	{"Hacker News", "hackernews_posts", "", time.Date(2015, 9, 7, 0, 0, 0, 0, time.UTC), time.Date(2016, 9, 20, 0, 0, 0, 0, time.UTC)},
}

// measureReal counts the alarms on real posts. It is skipped if there are none on this machine.
func (r *SignalsResult) measureReal(ctx context.Context, s *simulation) error {
	for i, source := range realSources {
		if err := ctx.Err(); err != nil {
			return err
		}
		times, err := readTimes(filepath.Join(realPosts, source.file+".jsonl.gz"), source.language)
		if errors.Is(err, fs.ErrNotExist) {
			s.logf("no %s in %s", source.file, realPosts)
			continue
		}
		if err != nil {
			return err
		}
		weeks := int(source.to.Sub(source.from) / (7 * 24 * time.Hour))
		series := &signalSeries{start: source.from, zone: time.UTC, bins: make([]int32, weeks*weekBins), missing: make([]bool, weeks*7*24), first: historyWeeks * weekBins}
		for _, t := range times {
			if b := int(t.Sub(source.from) / detect.Step); b >= 0 && b < len(series.bins) {
				series.bins[b]++
			}
		}
		random := rand.New(rand.NewPCG(s.seed<<8|6, uint64(i)))
		for _, v := range []struct {
			name   string
			series *signalSeries
		}{{"as posted", series}, {"days moved", series.moveDays(random)}, {"posts moved", series.movePosts(random)}} {
			sums := v.series.cumulate()
			tracks, _, err := v.series.watch(sums, sensitivities)
			if err != nil {
				return err
			}
			years := float64(weeks-historyWeeks) * 7 / 365.25
			x := RealResult{Name: source.name, Times: v.name, Level: sums[len(sums)-1] / float64(weeks*7*24), Years: years}
			for _, t := range tracks {
				x.Rates = append(x.Rates, float64(len(t.starts))/years)
			}
			r.Real = append(r.Real, x)
		}
	}
	return nil
}

// moveDays replaces each day by one of the same weekday up to four weeks away.
func (s *signalSeries) moveDays(random *rand.Rand) *signalSeries {
	moved := *s
	moved.bins = make([]int32, len(s.bins))
	for d := 0; d < len(s.bins); d += dayBins {
		copy(moved.bins[d:d+dayBins], s.bins[s.nearby(d, random):])
	}
	return &moved
}

// movePosts moves each post by up to four weeks.
func (s *signalSeries) movePosts(random *rand.Rand) *signalSeries {
	moved := *s
	moved.bins = make([]int32, len(s.bins))
	for b, n := range s.bins {
		for range n {
			moved.bins[s.nearby(b, random)]++
		}
	}
	return &moved
}

// nearby returns the same bin of a week up to four weeks away.
func (s *signalSeries) nearby(bin int, random *rand.Rand) int {
	for {
		if b := bin + (random.IntN(9)-4)*weekBins; b >= 0 && b < len(s.bins) {
			return b
		}
	}
}

// readTimes reads the times of the posts of a file, optionally only those in a language.
func readTimes(path, language string) ([]time.Time, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var times []time.Time
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var post struct{ Date, Language string }
		if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
			return nil, err
		}
		if language != "" && post.Language != language {
			continue
		}
		t, err := time.Parse("2006-01-02T15:04:05", post.Date)
		if err != nil {
			return nil, err
		}
		times = append(times, t)
	}
	return times, lines.Err()
}
