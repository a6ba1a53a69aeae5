// Package app builds everything from a config and runs it. It is the one place
// where services meet the engines they run on.
package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // zones must be there on a machine that has none

	"earshot"
	"earshot/internal/account"
	"earshot/internal/analysis"
	"earshot/internal/backup"
	"earshot/internal/config"
	"earshot/internal/content"
	"earshot/internal/http/api"
	"earshot/internal/http/manage"
	"earshot/internal/http/postview"
	"earshot/internal/http/rest"
	"earshot/internal/http/ui"
	"earshot/internal/insight"
	"earshot/internal/model/enrich"
	"earshot/internal/monitor"
	"earshot/internal/pipeline"
	"earshot/internal/poststore/local"
	"earshot/internal/rematch"
	"earshot/internal/state/catalog"
	feedstore "earshot/internal/state/feed/jetstream"
	"earshot/internal/state/journal"
	journalstore "earshot/internal/state/journal/jetstream"
	"earshot/internal/state/ledger"
	"earshot/internal/state/natsnode"
	"earshot/internal/stream"
	"earshot/internal/training"
)

// An App is a running Earshot without its listener.
type App struct {
	Accounts *account.Service
	Monitors *monitor.Service
	Content  *content.Service
	Training *training.Service
	Streams  *stream.Service
	Analysis *analysis.Service
	Journal  journal.Journal

	config   config.Config
	options  Options
	log      *slog.Logger
	started  time.Time
	node     *natsnode.Node
	catalog  *catalog.Catalog
	posts    *local.Store
	feed     *feedstore.Feed
	ledger   *ledger.Ledger
	freeze   backup.Freeze
	backups  *backup.Service
	pipeline *pipeline.Pipeline
	rematch  *rematch.Service
	metrics  *metricSet
	handler  http.Handler
	ready    atomic.Bool
	stopping chan struct{} // closed when no more work is taken

	stop    context.CancelFunc
	running sync.WaitGroup
}

// Options are what a program says beside its settings.
type Options struct {
	Version       string
	Commit        string
	NoFirstUser   bool                  // someone else creates the users
	AdminPassword string                // of the first user; empty: one is made up
	ShowPassword  func(password string) // is called with the one made up
	Log           *slog.Logger
	Now           func() time.Time // nil: time.Now, and the journal's clock for its entries
	Hasher        account.Hasher   // zero: account.DefaultHasher
	Enrich        *enrich.Enricher // nil: one with all models
}

// Open builds an App and starts its pipeline. It answers requests once Ready
// has returned.
func Open(ctx context.Context, cfg config.Config, o Options) (_ *App, err error) {
	clock := o.Now
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &App{config: cfg, options: o, log: o.Log, started: time.Now(), stop: func() {}, stopping: make(chan struct{})}
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if err := backup.Check(cfg.Data); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if err := a.openEngines(ctx); err != nil {
		return nil, err
	}
	if clock != nil {
		a.Journal = &clockedJournal{Journal: a.Journal, now: clock}
	}
	if err := a.buildServices(); err != nil {
		return nil, err
	}
	if err := a.Content.FinishRemovals(ctx); err != nil {
		return nil, err
	}
	if err := a.createFirstUser(ctx); err != nil {
		return nil, fmt.Errorf("create first user: %w", err)
	}
	a.handler = a.buildHandler()
	return a, a.startPipeline(ctx)
}

func (a *App) openEngines(ctx context.Context) (err error) {
	if a.node, err = natsnode.Open(ctx, a.natsOptions()); err != nil {
		return fmt.Errorf("open NATS: %w", err)
	}
	records, err := natsnode.OpenBucket(ctx, a.node, natsnode.BucketOptions{Name: catalog.BucketName})
	if err != nil {
		return fmt.Errorf("open catalog: %w", err)
	}
	if a.catalog, err = catalog.Open(ctx, a.freeze.Catalog(records), a.log); err != nil {
		return err
	}
	entries, err := journalstore.Open(ctx, a.node, journalstore.Options{Log: a.log})
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	a.Journal = a.freeze.Journal(entries)
	if a.feed, err = feedstore.Open(ctx, a.node, feedstore.Options{Log: a.log}); err != nil {
		return fmt.Errorf("open streams: %w", err)
	}
	if a.ledger, err = openLedger(ctx, a.node); err != nil {
		return err
	}
	a.posts, err = local.Open(ctx, local.Options{
		Dir:           a.postsDir(),
		UnmatchedDays: a.config.RetentionUnmatched,
		Log:           a.log,
		Now:           a.options.Now,
	})
	if err != nil {
		return err
	}
	a.backups, err = a.newBackups(entries, records, &a.freeze)
	return err
}

func (a *App) buildServices() error {
	secret, err := account.LoadSecret(a.config.SecretPath())
	if err != nil {
		return fmt.Errorf("token secret: %w", err)
	}
	a.Accounts = account.New(account.Options{Catalog: a.catalog, Secret: secret, Hasher: a.options.Hasher, Now: a.options.Now})
	enricher, err := a.enricher()
	if err != nil {
		return err
	}
	a.Training = &training.Service{Catalog: a.catalog, Enrich: enricher.All, Log: a.log, Now: a.options.Now}
	a.Streams = &stream.Service{Catalog: a.catalog, Posts: a.posts, Feed: a.feed, Journal: a.Journal, Now: a.options.Now, Log: a.log}
	a.pipeline = &pipeline.Pipeline{
		Journal: a.Journal, Enrich: enricher, Catalog: a.catalog, Store: a.posts, Streams: a.Streams, Log: a.log,
	}
	a.rematch = rematch.New(rematch.Options{
		Catalog: a.catalog, Store: a.posts, Enrich: enricher, Trainer: a.Training, Log: a.log, Barrier: a.pipeline.Barrier,
	})
	a.pipeline.Categorizers = a.rematch.Categorizers
	a.Training.Matcher = a.rematch
	a.Monitors = &monitor.Service{Catalog: a.catalog, Rematcher: a.rematch, Journal: a.Journal, Now: a.options.Now}
	a.Content = &content.Service{Catalog: a.catalog, Journal: a.Journal, Store: a.posts, Now: a.options.Now}
	a.Analysis = a.newAnalysis()
	return nil
}

func (a *App) createFirstUser(ctx context.Context) error {
	if a.options.NoFirstUser {
		return nil
	}
	shown, err := a.Accounts.CreateAdmin(ctx, a.options.AdminPassword)
	if shown != "" && a.options.ShowPassword != nil {
		a.options.ShowPassword(shown)
	}
	return err
}

func (a *App) buildHandler() http.Handler {
	metrics := &insight.Service{Store: a.posts, Journal: a.Journal, Baseline: a.pipeline.Baseline, Opinions: a.Training, Now: a.options.Now}
	clients := a.config.Compat == config.CompatClients
	posts := &postview.Service{Monitors: a.Monitors, Categorizer: metrics, Restricted: a.config.RestrictedSources, ForClients: clients}
	public := &api.API{
		Accounts:   a.Accounts,
		Monitors:   a.Monitors,
		Content:    a.Content,
		Insight:    metrics,
		Training:   a.Training,
		Streams:    a.Streams,
		Analysis:   a.Analysis,
		Now:        a.options.Now,
		Version:    a.options.Version,
		Posts:      posts,
		ForClients: clients,
	}
	management := &manage.API{
		Accounts:      a.Accounts,
		Monitors:      a.Monitors,
		Content:       a.Content,
		Insight:       metrics,
		Training:      a.Training,
		Streams:       a.Streams,
		Analysis:      a.Analysis,
		Contract:      a.catalog,
		Status:        a.status,
		Backup:        a.backups.Write,
		Rematch:       a.rematch,
		ModelVersions: enrich.Versions(),
		Now:           a.options.Now,
		Log:           a.log,
		Posts:         posts,
		Version:       a.options.Version,
	}
	a.metrics = a.newMetrics()
	routes := append(public.Routes(), management.Routes()...)
	routes = append(routes,
		rest.Plain("GET", "/healthz", http.HandlerFunc(a.health)),
		rest.Plain("GET", "/readyz", http.HandlerFunc(a.readiness)),
		rest.Plain("GET", "/metrics", http.HandlerFunc(a.metrics.serve)),
	)
	routes = append(routes, ui.Routes(ui.Files())...)
	return rest.New(rest.Options{
		Authenticate: a.authenticate,
		Session:      a.session,
		RateLimit:    a.config.RateLimit,
		Log:          a.log,
		Observe:      a.metrics.observe,
		Stopping:     a.stopping,
		Now:          a.options.Now,
	}, routes)
}

// authenticate lets nobody in before the posts are there: a count would be wrong.
func (a *App) authenticate(ctx context.Context, token string) (*earshot.Caller, error) {
	if !a.ready.Load() {
		return nil, errStarting
	}
	return a.Accounts.Authenticate(ctx, token)
}

// session is authenticate for browsers.
func (a *App) session(ctx context.Context, cookie string) (rest.Session, error) {
	if !a.ready.Load() {
		return rest.Session{}, errStarting
	}
	s, err := a.Accounts.FindSession(ctx, cookie)
	return rest.Session{Caller: s.Caller, CSRF: s.CSRF}, err
}

var errStarting = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "Earshot is starting and reads its posts; try again in a moment"}

func (a *App) startPipeline(ctx context.Context) error {
	a.Training.Sweep(ctx)
	if err := a.pipeline.Rewind(ctx); err != nil {
		return err
	}
	if err := a.rematch.Load(ctx); err != nil {
		return fmt.Errorf("find what is to be matched again: %w", err)
	}
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	a.running.Go(func() { a.runPipeline(ctx) })
	a.running.Go(func() { a.rematch.Run(ctx) })
	a.running.Go(func() { a.runAnalysis(ctx) })
	a.running.Go(func() { a.keepTrimming(ctx) })
	return nil
}

// runPipeline runs the pipeline and the streams that it hands posts to. They end after it, so
// that they have everything it has handed on.
func (a *App) runPipeline(ctx context.Context) {
	handing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var streams sync.WaitGroup
	streams.Go(func() { a.Streams.Run(handing) })
	a.pipeline.Run(ctx)
	stop()
	streams.Wait()
}

// Ready waits until everything in the journal is counted, then lets requests in.
func (a *App) Ready(ctx context.Context) error {
	if err := a.counted(ctx); err != nil {
		return err
	}
	a.ready.Store(true)
	return nil
}

// Caught waits until the pipeline has caught up with the journal, and the streams with it.
func (a *App) Caught(ctx context.Context) error {
	return a.caught(ctx, func() bool { return a.Streams.Lag() == 0 })
}

// counted waits until the pipeline has caught up with the journal. Streams that cannot take
// posts at the moment keep nobody from counting them.
func (a *App) counted(ctx context.Context) error {
	return a.caught(ctx, func() bool { return true })
}

func (a *App) caught(ctx context.Context, also func() bool) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		pending, err := a.Journal.Pending(ctx, pipeline.Consumer)
		if err == nil && pending == 0 && also() {
			return nil
		}
		if err != nil { // it has been tried for a while
			return fmt.Errorf("ask how far the journal is processed: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Handler answers HTTP requests.
func (a *App) Handler() http.Handler { return a.handler }

// Close finishes the batch in hand and closes everything.
func (a *App) Close() {
	a.ready.Store(false)
	a.stop()
	a.running.Wait()
	if a.posts != nil {
		if err := a.posts.Close(); err != nil {
			a.log.Error("posts are not on disk; they are read from the journal again", "error", err)
		}
	}
	if a.catalog != nil {
		a.catalog.Close()
	}
	if a.node != nil {
		a.node.Close()
	}
}
