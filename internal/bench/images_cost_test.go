package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"earshot"
	"earshot/internal/http/client"
	"earshot/internal/state/journal"
)

// An ImagesCostResult is what looking at pictures costs ingest, and how long pictures take.
type ImagesCostResult struct {
	Rounds  int           `json:"rounds"`
	Without ingestedPosts `json:"without"` // pictures are not fetched
	With    ingestedPosts `json:"with"`    // pictures wait all the time
	Ratio   float64       `json:"ratio"`   // of the posts per second with pictures to those without: median of the rounds
	Alone   float64       `json:"picturesPerSecondAlone"`
	Latency imageLatency  `json:"latency"`
}

// ingestedPosts is how fast posts were ingested: the medians of the rounds.
type ingestedPosts struct {
	PerSecond         float64 `json:"postsPerSecond"` // from the first in the journal to the last counted
	CPU               float64 `json:"cpuUs"`          // of all cores per post, including pictures
	PicturesPerSecond float64 `json:"picturesPerSecond,omitempty"`
}

// imageLatency is the time from the journal until what a picture shows is stored with its post.
type imageLatency struct {
	Pictures          int     `json:"pictures"`
	PicturesPerSecond float64 `json:"picturesPerSecond"`
	PostsPerSecond    float64 `json:"postsPerSecond"` // ingested at the same time
	P50               float64 `json:"p50Ms"`
	P99               float64 `json:"p99Ms"`
	Max               float64 `json:"maxMs"`
}

const (
	costRounds  = 4  // few and long, because a picture that has begun does not wait for posts
	costBacklog = 30 // pictures that wait when posts are sent; few of them are looked at until the posts are ingested
	costHosts   = 8  // a host gets one request at a time, with a pause in between

	// Normal load, during which latency is measured.
	latencyPictures = 200
	latencyInterval = 200 * time.Millisecond // between pictures
	latencyPosts    = 100                    // other posts per picture
)

var imagesCosts = Bench{Name: "images-cost", Count: 400_000, run: measureImagesCost} // posts to ingest each way

// measureImagesCost measures ingest without and with pictures, and then pictures at a normal pace.
func measureImagesCost(ctx context.Context, s *session) (any, error) {
	runtime.GOMAXPROCS(s.cpus)
	files, err := generatePictures(s.seed)
	if err != nil {
		return nil, err
	}
	hosts, err := servePictures(files)
	if err != nil {
		return nil, err
	}
	defer hosts.close()
	c := &imagesCost{session: s, hosts: hosts}
	result := &ImagesCostResult{Rounds: min(costRounds, max(s.count/batchSize, 1))}
	if err := c.measureRounds(ctx, result); err != nil {
		return nil, err
	}
	if err := c.measureLatency(ctx, result); err != nil {
		return nil, err
	}
	return result, nil
}

// imagesCost sends posts to servers.
type imagesCost struct {
	*session
	hosts *pictureHosts
	find  finder // of the server that was opened last
}

// measureRounds sends the same posts to a server that fetches no pictures and to one on which pictures
// wait, in turn, so that other load on the machine affects both.
func (c *imagesCost) measureRounds(ctx context.Context, result *ImagesCostResult) error {
	plain, err := c.open(ctx, false)
	if err != nil {
		return err
	}
	defer plain.close()
	pictured, err := c.open(ctx, true)
	if err != nil {
		return err
	}
	defer pictured.close()
	var without, with []ingestedPosts
	var ratios []float64
	for round := range result.Rounds {
		posts := c.generate(round, c.count/result.Rounds)
		c.logf("round %d of %d: sending %d posts without and with pictures", round+1, result.Rounds, c.count/result.Rounds)
		a, err := plain.ingest(ctx, posts)
		if err != nil {
			return err
		}
		b, err := pictured.ingestWithPictures(ctx, posts, c.hosts, round)
		if err != nil {
			return err
		}
		without, with, ratios = append(without, a), append(with, b), append(ratios, b.PerSecond/a.PerSecond)
	}
	result.Without, result.With, result.Ratio = medianOf(without), medianOf(with), median(ratios)
	return nil
}

func medianOf(rounds []ingestedPosts) ingestedPosts {
	of := func(field func(ingestedPosts) float64) float64 {
		var values []float64
		for _, r := range rounds {
			values = append(values, field(r))
		}
		return median(values)
	}
	return ingestedPosts{
		PerSecond:         of(func(p ingestedPosts) float64 { return p.PerSecond }),
		CPU:               of(func(p ingestedPosts) float64 { return p.CPU }),
		PicturesPerSecond: of(func(p ingestedPosts) float64 { return p.PicturesPerSecond }),
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// generate returns the posts of a round in batches.
func (c *imagesCost) generate(round, count int) (batches [][]earshot.Post) {
	g := c.day()
	g.Raw, g.Count, g.Seed = true, count, c.seed+uint64(round)
	return slices.Collect(g.Batches(batchSize))
}

// open opens an empty server with a monitor that matches all posts.
func (c *imagesCost) open(ctx context.Context, pictures bool) (*runningServer, error) {
	dir, err := os.MkdirTemp(c.dir, "server-")
	if err != nil {
		return nil, err
	}
	s := *c.session
	s.serve = func(ctx context.Context, dir string) (server *Server, err error) {
		server, c.find, err = serveWith(ctx, dir, pictures)
		return server, err
	}
	v, err := s.listen(ctx, dir)
	if err != nil {
		return nil, err
	}
	if _, err := v.addMonitor(ctx, earshot.DateOf(firstDay)); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// ingest measures how fast posts are ingested.
func (v *runningServer) ingest(ctx context.Context, posts [][]earshot.Post) (ingestedPosts, error) {
	runtime.GC()
	cpu, n := processorTime(), 0
	took, err := once(func() error {
		for _, batch := range posts {
			n += len(batch)
			if _, err := v.server.Append(ctx, journal.Entry{Posts: batch}); err != nil {
				return err
			}
		}
		return v.server.CatchUp(ctx)
	})
	return ingestedPosts{PerSecond: perSecond(n, took), CPU: microseconds(processorTime()-cpu, n)}, err
}

// ingestWithPictures measures how fast posts are ingested while more pictures wait than can be looked
// at until then.
func (v *runningServer) ingestWithPictures(ctx context.Context, posts [][]earshot.Post, hosts *pictureHosts, round int) (result ingestedPosts, err error) {
	before, err := v.pictures(ctx)
	if err != nil {
		return result, err
	}
	if err := v.sendPictures(ctx, hosts, fmt.Sprint("backlog-", round), costBacklog); err != nil {
		return result, err
	}
	all := before.Looked + costBacklog
	if before, err = v.awaitLooked(ctx, before.Looked+1); err != nil { // by then the networks are loaded
		return result, err
	}
	began := time.Now()
	if result, err = v.ingest(ctx, posts); err != nil {
		return result, err
	}
	after, err := v.pictures(ctx)
	if err != nil {
		return result, err
	}
	if after.Waiting == 0 {
		return result, errors.New("all pictures were done before the posts: send fewer posts")
	}
	result.PicturesPerSecond = float64(after.Looked-before.Looked) / time.Since(began).Seconds()
	_, err = v.awaitLooked(ctx, all)
	return result, err
}

// measureLatency sends pictures and other posts at a normal pace, and measures how long pictures take.
// Then it sends many pictures and measures how many are looked at per second if nothing else happens.
func (c *imagesCost) measureLatency(ctx context.Context, result *ImagesCostResult) error {
	v, err := c.open(ctx, true)
	if err != nil {
		return err
	}
	defer v.close()
	pictures := min(latencyPictures, max(c.count/latencyPosts, 1))
	c.logf("sending %d pictures, %v apart", pictures, latencyInterval)
	w := &pictureWait{sent: map[earshot.PostKey]time.Time{}}
	others := slices.Concat(c.generate(costRounds, pictures*latencyPosts)...)
	tick := time.NewTicker(latencyInterval)
	defer tick.Stop()
	began := time.Now()
	for i := range pictures {
		p := c.hosts.post("latency", i)
		w.sent[p.Key()] = time.Now()
		posts := append([]earshot.Post{p}, others[i*latencyPosts:(i+1)*latencyPosts]...)
		if _, err := v.server.Append(ctx, journal.Entry{Posts: posts}); err != nil {
			return err
		}
		if err := w.poll(ctx, c.find, tick.C); err != nil {
			return err
		}
	}
	sending := time.Since(began)
	if err := w.poll(ctx, c.find, nil); err != nil {
		return err
	}
	result.Latency = imageLatency{
		Pictures: pictures, PicturesPerSecond: float64(pictures) / sending.Seconds(), PostsPerSecond: perSecond(pictures*(latencyPosts+1), sending),
		P50: Milliseconds(w.times.Quantile(0.5)), P99: Milliseconds(w.times.Quantile(0.99)), Max: Milliseconds(w.times.Quantile(1)),
	}
	result.Alone, err = v.measureAlone(ctx, c.hosts, pictures)
	return err
}

// A pictureWait waits until posts have what their pictures show.
type pictureWait struct {
	sent  map[earshot.PostKey]time.Time
	times Times
}

// pollInterval is the resolution of latencies.
const pollInterval = 10 * time.Millisecond

// poll looks for posts until a tick, or until all have their pictures if tick is nil.
func (w *pictureWait) poll(ctx context.Context, find finder, tick <-chan time.Time) error {
	for {
		keys := make([]earshot.PostKey, 0, len(w.sent))
		for key := range w.sent {
			keys = append(keys, key)
		}
		found, err := find(ctx, keys)
		if err != nil {
			return err
		}
		for _, p := range found {
			if p.Images[0].Picture != nil {
				w.times = append(w.times, time.Since(w.sent[p.Key()]))
				delete(w.sent, p.Key())
			}
		}
		if tick == nil && len(w.sent) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
			return nil
		case <-time.After(pollInterval):
		}
	}
}

// measureAlone returns the number of pictures per second if no other posts arrive.
func (v *runningServer) measureAlone(ctx context.Context, hosts *pictureHosts, pictures int) (float64, error) {
	before, err := v.pictures(ctx)
	if err != nil {
		return 0, err
	}
	took, err := once(func() error {
		if err := v.sendPictures(ctx, hosts, "alone", pictures); err != nil {
			return err
		}
		_, err := v.awaitLooked(ctx, before.Looked+int64(pictures))
		return err
	})
	return float64(pictures) / took.Seconds(), err
}

// sendPictures appends posts with a picture each.
func (v *runningServer) sendPictures(ctx context.Context, hosts *pictureHosts, name string, n int) error {
	var posts []earshot.Post
	for i := range n {
		posts = append(posts, hosts.post(name, i))
	}
	_, err := v.server.Append(ctx, journal.Entry{Posts: posts})
	return err
}

// pictureCounts is the part of the status about pictures.
type pictureCounts struct {
	Looked, Failed int64
	Waiting        int
}

func (v *runningServer) pictures(ctx context.Context) (pictureCounts, error) {
	var status struct{ Pictures pictureCounts }
	text, err := v.client.Call(ctx, client.Request{Method: "GET", Path: "/manage/v1/status"})
	if err == nil {
		err = json.Unmarshal(text, &status)
	}
	if err == nil && status.Pictures.Failed > 0 {
		err = fmt.Errorf("%d pictures could not be looked at", status.Pictures.Failed)
	}
	return status.Pictures, err
}

// awaitLooked waits until the given number of pictures has been analyzed.
func (v *runningServer) awaitLooked(ctx context.Context, n int64) (pictureCounts, error) {
	for {
		p, err := v.pictures(ctx)
		if err != nil || p.Looked >= n {
			return p, err
		}
		select {
		case <-ctx.Done():
			return p, ctx.Err()
		case <-time.After(pollInterval):
		}
	}
}
