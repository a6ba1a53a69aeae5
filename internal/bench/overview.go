package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot/internal/http/client"
	"earshot/internal/poststore"
	"earshot/internal/sleep"
)

// An OverviewResult is the cost of showing the pages of a monitor with a year of posts.
type OverviewResult struct {
	Times []OverviewTimes `json:"times"`
}

// OverviewTimes are the response times of a request.
type OverviewTimes struct {
	Request string  `json:"request"`
	Bytes   int64   `json:"bytes"`
	Cold    float64 `json:"coldMs"` // of a newly opened server with an empty day cache
	P50     float64 `json:"p50Ms"`  // repeated requests
	P95     float64 `json:"p95Ms"`
	CPU     float64 `json:"cpuMs"` // of this process for the first request; 0 if unknown
}

// An overview is a request for a page of a monitor: the overview, or the one that page names.
type overview struct {
	name          string
	days          int
	filter, parts string
	page          string
	more          string   // further parameters, encoded; see runningServer.overview for placeholders
	compare       []string // filters of the rows of a comparison
}

// groups reports whether the request groups duplicates.
func (o *overview) groups() bool {
	return strings.Contains(o.more, "group=true") || strings.Contains(o.more, "copiesOf=")
}

// overviews lists the requests. The web app requests everything except words, and the words in a
// concurrent request.
var overviews = []overview{
	{name: "a year", days: yearDays},
	{name: "a year without words", days: yearDays, parts: pageParts},
	{name: "a year, words alone", days: yearDays, parts: "words"},
	{name: "a year of women's posts", days: yearDays, filter: "gender:F"},
	{name: "a year of English posts with a word", days: yearDays, filter: "language:en|keywords:today"},
	{name: "30 days", days: monthDays},
	{name: "a year, newest posts", days: yearDays, page: "posts"},
	{name: "a year, oldest posts", days: yearDays, page: "posts", more: "sort=oldest"},
	{name: "a year, posts by engagement", days: yearDays, page: "posts", more: "sort=engagement"},
	{name: "a year, posts by reach", days: yearDays, page: "posts", more: "sort=reach"},
	{name: "a year, posts by relevance", days: yearDays, page: "posts", more: "sort=relevance", filter: "keywords:today OR tomorrow"},
	{name: "a year, duplicates", days: yearDays, page: "posts", more: "sort=engagement&group=true"},
	{name: "a year, copies of a post", days: yearDays, page: "posts", more: "copiesOf=POST"},
	{name: "30 days, duplicates", days: monthDays, page: "posts", more: "sort=engagement&group=true"},
	{name: "a year, topics", days: yearDays, page: "topics"},
	{name: "30 days, topics", days: monthDays, page: "topics"},
	{name: "half a year, changes", days: yearDays / 2, page: "changes"},
	{name: "30 days, changes", days: monthDays, page: "changes"},
	{name: "30 days, explanation", days: monthDays, page: "explanation"},
	{name: "a day, explanation", days: 1, page: "explanation"},
	{name: "a year, author", days: yearDays, page: "author", more: "name=AUTHOR"},
	{name: "a year, author's posts", days: yearDays, page: "author/posts", more: "name=AUTHOR&sort=engagement"},
	{name: "a year, comparison of three rows", days: yearDays, compare: []string{"gender:F", "gender:M", "language:en"}},
	{name: "30 days, comparison of three rows", days: monthDays, compare: []string{"gender:F", "gender:M", "language:en"}},
	{name: "summary of a year", page: "summary", more: "days=365"},
}

const pageParts = "days,hours,categories,emotions,previous,hashtags,sites,sources,languages,authors,places,ages,genders,clock,interests,images,engagement"

// measureOverview requests pages of a monitor from a complete server over HTTP.
func measureOverview(ctx context.Context, s *session) (any, error) {
	if s.serve == nil {
		return &OverviewResult{}, ctx.Err()
	}
	if err := s.savePosts(); err != nil {
		return nil, err
	}
	if _, err := s.filledServer(ctx, yearDays); err != nil {
		return nil, err
	}
	s.freeSample()
	runtime.GOMAXPROCS(s.cpus)
	var names overviewNames
	err := s.cold(ctx, func(v *runningServer) (err error) {
		names, err = v.overviewNames(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	f := &OverviewResult{}
	for _, o := range overviews {
		if o.groups() && o.days == yearDays && s.count > poststore.MaxGrouped {
			continue // the service refuses to group that many
		}
		s.logf("requesting over HTTP: %s", o.name)
		err := s.cold(ctx, func(v *runningServer) error {
			times, err := v.coldAndWarm(ctx, o.name, v.overview(o, names))
			f.Times = append(f.Times, times)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	s.logf("opening over HTTP: a dashboard")
	return f, s.cold(ctx, func(v *runningServer) error {
		times, err := v.measureDashboard(ctx)
		f.Times = append(f.Times, times...)
		return err
	})
}

// overviewNames are the names of what requests ask for.
type overviewNames struct{ post, author string }

// overviewNames chooses the post with the most engagement, and the author with the most posts.
func (v *runningServer) overviewNames(ctx context.Context) (n overviewNames, err error) {
	var posts struct{ Items []struct{ Key string } }
	var authors struct {
		Authors struct{ Top []struct{ Name string } }
	}
	for _, page := range []struct {
		overview
		response any
	}{
		{overview{days: yearDays, page: "posts", more: "sort=engagement&limit=1"}, &posts},
		{overview{days: yearDays, parts: "authors"}, &authors},
	} {
		text, err := v.client.Call(ctx, v.overview(page.overview, n))
		if err != nil {
			return n, err
		}
		if err := json.Unmarshal(text, page.response); err != nil {
			return n, err
		}
	}
	if len(posts.Items) == 0 || len(authors.Authors.Top) == 0 {
		return n, errors.New("the monitor has no posts or no authors")
	}
	return overviewNames{posts.Items[0].Key, authors.Authors.Top[0].Name}, nil
}

// overview returns the request for a page. In its parameters, POST and AUTHOR stand for names.
func (v *runningServer) overview(o overview, n overviewNames) client.Request {
	days := subrange(v.days, yearDays-o.days, o.days)
	if o.compare != nil {
		rows := make([]map[string]any, len(o.compare))
		for i, filter := range o.compare {
			rows[i] = map[string]any{"monitor": v.monitor, "filter": filter, "start": days.Start, "end": days.End}
		}
		return client.Request{Method: "POST", Path: "/manage/v1/compare", Body: map[string]any{"rows": rows, "earlier": "previous"}}
	}
	query, err := url.ParseQuery(o.more)
	if err != nil {
		panic(err) // a constant
	}
	for _, values := range query {
		values[0] = strings.NewReplacer("POST", n.post, "AUTHOR", n.author).Replace(values[0])
	}
	if o.days > 0 {
		query.Set("start", days.Start.String())
		query.Set("end", days.End.String())
	}
	for name, value := range map[string]string{"filter": o.filter, "parts": o.parts} {
		if value != "" {
			query.Set(name, value)
		}
	}
	path := "/manage/v1/"
	if !slices.Contains([]string{"author", "author/posts", "summary"}, o.page) {
		path += "monitors/" + strconv.FormatInt(int64(v.monitor), 10) + "/"
	}
	return client.Request{Method: "GET", Path: path + cmp.Or(o.page, "overview"), Query: query}
}

// coldAndWarm sends a request for the first time and then repeats it.
func (v *runningServer) coldAndWarm(ctx context.Context, name string, r client.Request) (t OverviewTimes, err error) {
	t.Request = name
	run := func() (err error) {
		t.Bytes, err = v.get(ctx, r)
		return err
	}
	before := processorTime()
	cold, err := once(run)
	if err != nil {
		return t, err
	}
	t.CPU = Milliseconds(processorTime() - before)
	warm, err := Repeat(v.runs, run)
	if err != nil {
		return t, err
	}
	t.Cold, t.P50, t.P95 = Milliseconds(cold), Milliseconds(warm.Quantile(0.5)), Milliseconds(warm.Quantile(0.95))
	return t, nil
}

// postsDir has the server's posts. While a copy of them serves requests, the originals are in
// savedDir.
func (s *session) postsDir() string { return filepath.Join(s.serverDir(), "posts") }
func (s *session) savedDir() string { return filepath.Join(s.serverDir(), "posts.kept") }

// savePosts moves back the posts that an interrupted run left in savedDir.
func (s *session) savePosts() error {
	if _, err := os.Stat(s.savedDir()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.restorePosts()
}

func (s *session) restorePosts() error {
	if err := os.RemoveAll(s.postsDir()); err != nil {
		return err
	}
	return os.Rename(s.savedDir(), s.postsDir())
}

// cold calls do with a server on a copy of the posts that has not served any requests.
func (s *session) cold(ctx context.Context, do func(v *runningServer) error) (err error) {
	if err := os.Rename(s.postsDir(), s.savedDir()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.restorePosts()) }()
	st, err := openLocal(ctx, s.savedDir())
	if err != nil {
		return err
	}
	if err := errors.Join(st.Checkpoint(ctx, s.postsDir()), st.Close()); err != nil {
		return err
	}
	v, err := s.openServer(ctx, yearDays)
	if err != nil {
		return err
	}
	defer v.close()
	if !sleep.For(ctx, time.Duration(s.count)*openingTime) {
		return ctx.Err()
	}
	return do(v)
}

// openingTime is how long per post a newly opened server is left alone, because it reads files in
// the background.
const openingTime = time.Microsecond
