package picture

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/sleep"
	"earshot/internal/state/journal"
)

const (
	fetchers = 4 // files that are fetched at the same time

	// maxEntries and maxJobs bound the memory for entries that are not dealt with. Beyond them, the
	// journal is the queue.
	maxEntries = 1000
	maxJobs    = 5000

	// A post with several pictures waits for all of them, but not longer than this after the first.
	maxPostWait = time.Second

	flushInterval  = 100 * time.Millisecond // between entries with results
	cursorInterval = time.Second            // between writes of the cursor
	maxFlush       = 500                    // posts in an entry with results

	failureLife = 24 * time.Hour // how long a URL that failed for good is not tried again
	retryLife   = time.Hour      // how long one that may work again is not
)

// retryWaits are the waits before a picture is fetched again after a failure that may pass. After
// the last one it is given up.
var retryWaits = []time.Duration{3 * time.Second, 20 * time.Second, time.Minute}

// An entry is a journal entry whose pictures are being looked at.
type entry struct {
	position earshot.Position
	read     time.Time
	left     int // posts that are not dealt with
}

// A post waits for its pictures.
type post struct {
	picturedPost journal.PicturedPost
	entry        *entry
	left         int                         // pictures without a result
	found        map[string]*earshot.Picture // results that are not in the journal yet, by URL
	since        time.Time                   // of the first of them
	queued       bool                        // in results
}

// A job is to find out what the picture at a URL shows.
type job struct {
	url, host string
	attempts  int
	posts     []*post
}

// Run looks at the pictures of posts in the journal until ctx ends. It may be called again after that: a
// process can lose its role and get it back.
func (s *Service) Run(ctx context.Context) {
	s.forgetJobs()
	var running sync.WaitGroup
	defer running.Wait()
	for range fetchers {
		running.Go(func() { s.fetchJobs(ctx) })
	}
	running.Go(func() { s.collect(ctx) })
	for {
		err := s.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		s.Log.Error("pictures: reading the journal failed; will retry", "error", err)
		if !sleep.For(ctx, 5*time.Second) {
			return
		}
	}
}

// forgetJobs forgets what an earlier Run left. The journal still has it.
func (s *Service) forgetJobs() {
	s.hosts.reset()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs, s.results = map[string]*job{}, nil
}

// Begin sets the cursor to the end of the journal if there is none, so that pictures are looked at from
// the next post on. It must return before posts are accepted.
func (s *Service) Begin(ctx context.Context) error {
	_, ok, err := s.Cursor.PictureCursor(ctx)
	if err != nil || ok {
		return err
	}
	last, err := s.Journal.Last(ctx)
	if err != nil {
		return err
	}
	return s.Cursor.SetPictureCursor(ctx, last)
}

// Forget forgets how far Run has come, so that turning it on again does not begin with old posts.
func (s *Service) Forget(ctx context.Context) {
	_, ok, err := s.Cursor.PictureCursor(ctx)
	if err == nil && ok {
		err = s.Cursor.ResetPictureCursor(ctx)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("resetting the position of pictures failed", "error", err)
	}
}

// IsUnseen reports whether Run will look at the pictures of a new post.
func (s *Service) IsUnseen(p *earshot.Post) bool {
	return slices.ContainsFunc(p.Images, func(i earshot.Image) bool { return i.Picture == nil && i.URL != "" }) &&
		!slices.Contains(s.Restricted, p.Source)
}

// follow reads the journal until ctx ends or an error occurs.
func (s *Service) follow(ctx context.Context) error {
	at, last, err := s.start(ctx)
	if err != nil {
		return err
	}
	for batch, err := range s.Journal.Batches(ctx, at) {
		if err != nil {
			return err
		}
		if !s.awaitSpace(ctx) {
			break
		}
		if err := s.read(ctx, batch, last); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// start returns the cursor, and the last position of the journal. Without a cursor, it begins with the
// posts that arrive from now on.
func (s *Service) start(ctx context.Context) (at, last earshot.Position, err error) {
	if last, err = s.Journal.Last(ctx); err != nil {
		return 0, 0, err
	}
	at, ok, err := s.Cursor.PictureCursor(ctx)
	if err != nil {
		return 0, 0, err
	}
	trimmed, err := s.Journal.Trimmed(ctx)
	if err != nil {
		return 0, 0, err
	}
	if ok && at < trimmed {
		s.Log.Error("pictures of posts that the journal no longer has are skipped", "after", at, "up to", trimmed)
		at = trimmed
	}
	if !ok || at > last {
		at = last
		if err := s.Cursor.SetPictureCursor(ctx, at); err != nil {
			return 0, 0, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached, s.entries = at, nil
	return at, last, nil
}

// awaitSpace waits until there is room for another entry.
func (s *Service) awaitSpace(ctx context.Context) bool {
	for {
		s.mu.Lock()
		full := len(s.entries) >= maxEntries || len(s.jobs) >= maxJobs
		s.mu.Unlock()
		if !full {
			return ctx.Err() == nil
		}
		select {
		case <-ctx.Done():
			return false
		case <-s.space:
		}
	}
}

// read queues the pictures of a journal entry. Of entries up to replayed, some posts may already have
// their results.
func (s *Service) read(ctx context.Context, batch *journal.Batch, replayed earshot.Position) error {
	posts, at := batch.Posts, batch.Position
	switch {
	case batch.Pictures != nil && len(batch.Pictures.Found) == 0: // a request to look again
		var keys []earshot.PostKey
		for _, p := range batch.Pictures.Posts {
			keys = append(keys, p.Key)
		}
		found, err := s.find(ctx, keys)
		if err != nil {
			return err
		}
		posts, at = found, 0
	case batch.Position <= replayed:
		pending, err := s.withoutResults(ctx, posts)
		if err != nil {
			return err
		}
		posts = pending
	}
	e := &entry{position: batch.Position, read: s.Now()}
	var waiting []*post
	urls := map[*post][]string{}
	for i := range posts {
		if list := s.toLookAt(&posts[i]); len(list) > 0 {
			p := &post{picturedPost: journal.PicturedPost{Key: posts[i].Key(), Position: at}, entry: e, left: len(list)}
			waiting, urls[p] = append(waiting, p), list
		}
	}
	e.left = len(waiting)
	s.mu.Lock()
	s.reached = batch.Position
	if e.left > 0 {
		s.entries = append(s.entries, e)
	}
	s.mu.Unlock()
	for _, p := range waiting {
		for _, url := range urls[p] {
			s.enqueue(ctx, p, url)
		}
	}
	return nil
}

// toLookAt returns the URLs of the images of a post that the current model has not seen.
func (s *Service) toLookAt(p *earshot.Post) (urls []string) {
	if slices.Contains(s.Restricted, p.Source) {
		return nil
	}
	for i := range p.Images[:min(len(p.Images), MaxPerPost)] {
		image := &p.Images[i]
		seen := image.Picture != nil && image.Picture.Model == s.Model.Version
		if !seen && image.URL != "" && !slices.Contains(urls, image.URL) && (s.Get != nil || strings.HasPrefix(image.URL, earshot.PictureScheme)) {
			urls = append(urls, image.URL)
		}
	}
	return urls
}

// withoutResults returns the posts whose stored versions lack pictures.
func (s *Service) withoutResults(ctx context.Context, posts []earshot.Post) ([]earshot.Post, error) {
	var keys []earshot.PostKey
	for i := range posts {
		if len(s.toLookAt(&posts[i])) > 0 {
			keys = append(keys, posts[i].Key())
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	stored, err := s.find(ctx, keys)
	if err != nil {
		return nil, err
	}
	complete := map[earshot.PostKey]bool{}
	for i := range stored {
		complete[stored[i].Key()] = len(s.toLookAt(&stored[i])) == 0
	}
	return slices.DeleteFunc(slices.Clone(posts), func(p earshot.Post) bool { return complete[p.Key()] }), nil
}

// find finds stored posts, and retries until it succeeds or ctx ends.
func (s *Service) find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error) {
	for {
		posts, err := s.Posts.Find(ctx, keys)
		if err == nil {
			return posts, nil
		}
		s.Log.Error("pictures: finding posts failed; will retry", "error", err)
		if !sleep.For(ctx, time.Second) {
			return nil, ctx.Err()
		}
	}
}

// enqueue finds the result of a picture in the cache, or queues a job for it.
func (s *Service) enqueue(ctx context.Context, p *post, url string) {
	if found, err, ok := s.known(ctx, url); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil {
			found = nil
		}
		s.settle(p, url, found)
		return
	}
	s.mu.Lock()
	j := s.jobs[url]
	isNew := j == nil
	if isNew {
		j = &job{url: url, host: hostOf(url)}
		s.jobs[url] = j
	}
	j.posts = append(j.posts, p)
	s.mu.Unlock()
	if isNew {
		s.hosts.add(j)
	}
}

// errFailed means that a picture failed recently.
var errFailed = errors.New("failed recently")

// known returns the result of a URL if it needs no request.
func (s *Service) known(ctx context.Context, url string) (found *earshot.Picture, err error, ok bool) {
	hash, uploaded := strings.CutPrefix(url, earshot.PictureScheme)
	if !uploaded {
		record, ok := s.Cache.URL(url)
		switch {
		case !ok && s.hosts.isDown(hostOf(url), s.Now()):
			s.counts.failed.Add(1)
			return nil, errFailed, true
		case !ok || record.Hash == "" && s.Now().After(record.Until):
			return nil, nil, false
		case record.Hash == "":
			return nil, errFailed, true
		}
		hash = record.Hash
	}
	if found, ok = s.Cache.Result(hash); !ok && uploaded {
		found, ok = s.result(ctx, hash)
	}
	if ok && found.Model != s.Model.Version {
		if newer, err := s.lookAgain(ctx, found); err == nil {
			found = newer
		} else if !uploaded { // fetch it again
			return nil, nil, false
		}
	}
	if ok {
		s.counts.cached.Add(1)
		return found, nil, true
	}
	return nil, errFailed, uploaded // a result that was lost is made again, unless it was uploaded
}

// fetchJobs runs jobs until ctx ends.
func (s *Service) fetchJobs(ctx context.Context) {
	for ctx.Err() == nil {
		j, wait := s.hosts.take(s.Now())
		if j != nil {
			s.run(ctx, j)
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-s.hosts.wake:
		}
		timer.Stop()
	}
}

// run fetches the picture of a job and looks at it. If that may work later, it queues the job again.
func (s *Service) run(ctx context.Context, j *job) {
	body, _, err := s.Get(ctx, j.url)
	if ctx.Err() != nil {
		return
	}
	retryAfter, temporary := mayPass(err)
	for _, lost := range s.hosts.finish(j, s.Now(), temporary, retryAfter) {
		s.giveUp(lost, errors.New("its host is down"), retryLife)
	}
	if err == nil {
		s.counts.fetched.Add(1)
		s.counts.bytes.Add(int64(len(body)))
		var found *earshot.Picture
		if found, err = s.look(ctx, body); err == nil {
			s.remember(j.url, URLRecord{Hash: found.Hash})
			s.complete(j, found)
			return
		}
	}
	switch {
	case ctx.Err() != nil:
	case temporary && j.attempts < len(retryWaits) && !s.hosts.isDown(j.host, s.Now()):
		wait := max(retryWaits[j.attempts], retryAfter)
		j.attempts++
		go func() {
			if sleep.For(ctx, wait) {
				s.hosts.add(j)
			}
		}()
	case temporary || errors.Is(err, errModel):
		s.giveUp(j, err, retryLife)
	default:
		s.giveUp(j, err, failureLife)
	}
}

// mayPass reports whether a failed request may work later, and how long the server asks to wait.
func mayPass(err error) (retryAfter time.Duration, temporary bool) {
	var status *fetch.StatusError
	switch {
	case err == nil || errors.Is(err, fetch.ErrRefused) || errors.Is(err, fetch.ErrTooLarge):
		return 0, false
	case errors.As(err, &status):
		return status.RetryAfter, status.Code == 429 || status.Code >= 500
	}
	return 0, true // a timeout, or no connection
}

// giveUp ends a job without a result. The URL is not tried again for some time.
func (s *Service) giveUp(j *job, err error, life time.Duration) {
	s.counts.failed.Add(1)
	s.Log.Debug("picture not looked at", "host", j.host, "error", err)
	reason := err.Error()
	s.remember(j.url, URLRecord{Reason: reason[:min(len(reason), 200)], Until: s.Now().Add(life).UTC().Truncate(time.Second)})
	s.complete(j, nil)
}

func (s *Service) remember(url string, r URLRecord) {
	s.Cache.UseUpload(r.Hash)
	if err := s.Cache.SetURL(url, r); err != nil {
		s.Log.Debug("picture not cached", "error", err)
	}
}

// complete ends a job. found is nil if it failed.
func (s *Service) complete(j *job, found *earshot.Picture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, j.url)
	for _, p := range j.posts {
		s.settle(p, j.url, found)
	}
	s.notifySpace()
}

// settle notes the result of a picture of a post. s.mu must be held.
func (s *Service) settle(p *post, url string, found *earshot.Picture) {
	p.left--
	if found != nil {
		if len(p.found) == 0 {
			p.found, p.since = map[string]*earshot.Picture{}, s.Now()
		}
		p.found[url] = found
	}
	switch {
	case len(p.found) > 0 && !p.queued:
		p.queued = true
		s.results = append(s.results, p)
	case len(p.found) == 0 && p.left == 0:
		p.entry.left--
	}
}

func (s *Service) notifySpace() {
	sleep.Notify(s.space)
}

// done returns the position of the last entry whose pictures are dealt with. s.mu must be held.
func (s *Service) done() earshot.Position {
	for len(s.entries) > 0 && s.entries[0].left == 0 {
		s.entries = s.entries[1:]
		s.notifySpace()
	}
	if len(s.entries) > 0 {
		return s.entries[0].position - 1
	}
	return s.reached
}
