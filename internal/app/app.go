// Package app builds the service from a configuration and runs it. It is the only place where
// services are connected to the engines they run on.
package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // for machines without time zone files

	"github.com/VictoriaMetrics/metrics"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/analysis"
	"earshot/internal/cluster"
	"earshot/internal/config"
	"earshot/internal/connector"
	"earshot/internal/content"
	"earshot/internal/http/rest"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/ingest/rematch"
	"earshot/internal/ingest/secondlook"
	"earshot/internal/insight"
	"earshot/internal/limit"
	"earshot/internal/model/enrich"
	"earshot/internal/model/training"
	"earshot/internal/monitor"
	"earshot/internal/notify/delivery"
	"earshot/internal/notify/digest"
	"earshot/internal/notify/signal"
	"earshot/internal/operate"
	"earshot/internal/operate/backup"
	"earshot/internal/operate/erasure"
	"earshot/internal/operate/integrity"
	"earshot/internal/picture"
	"earshot/internal/query/filter"
	"earshot/internal/secret/password"
	"earshot/internal/sleep"
	"earshot/internal/source"
	"earshot/internal/state/catalog"
	feedstore "earshot/internal/state/feed/jetstream"
	"earshot/internal/state/journal"
	"earshot/internal/state/lease"
	"earshot/internal/state/ledger"
	"earshot/internal/state/natsnode"
	"earshot/internal/stream"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/correction"
	"earshot/internal/workspace/dashboard"
	"earshot/internal/workspace/incident"
	"earshot/internal/workspace/label"
	"earshot/internal/workspace/mark"
	"earshot/internal/workspace/postview"
	"earshot/internal/workspace/share"
)

// An App is a running service without its listener.
type App struct {
	Accounts    *account.Service
	Monitors    *monitor.Service
	Content     *content.Service
	Training    *training.Service
	Streams     *stream.Service
	Dashboards  *dashboard.Service
	Analysis    *analysis.Service
	Sources     *source.Service
	Erasure     *erasure.Service
	Marks       *mark.Service
	Corrections *correction.Service
	Labels      *label.Service
	Shares      *share.Service
	Deliveries  *delivery.Service
	Signals     *signal.Service
	Insight     *insight.Service
	Digest      *digest.Service
	Pictures    *picture.Service
	Journal     journal.Journal

	config  config.Config
	options Options
	log     *slog.Logger
	started time.Time
	secret  []byte // signs tokens
	node    *natsnode.Node
	catalog *catalog.Catalog
	posts   postStore
	looks   *secondlook.Service // nil: none
	files   postFiles           // of posts; nil: they are in ClickHouse
	remote  *clickHousePosts    // nil: posts are in files

	storeRequests *metrics.Set // about requests to ClickHouse

	feed   *feedstore.Feed
	ledger *ledger.Ledger

	connectorRecords *natsnode.Bucket
	roles            *lease.Manager

	freeze    backup.Freeze
	backups   *backup.Service
	pipeline  *pipeline.Pipeline
	rematch   *rematch.Service
	scrub     *operate.Scrubber
	metrics   *metricSet
	filters   *filter.Service
	views     *postview.Service
	cards     *card.Service
	incidents *incident.Service
	composer  *digest.Composer
	routes    []rest.Route // all of the HTTP surface
	handler   http.Handler
	ready     atomic.Bool
	stopping  chan struct{} // closed when shutdown begins

	stop    context.CancelFunc
	running sync.WaitGroup

	cluster       *cluster.Membership
	member        sync.WaitGroup     // runs cluster
	leave         context.CancelFunc // ends member; nil: it does not run
	stopSnapshots func()             // nil: other nodes cannot copy the store
	opened        atomic.Bool        // the post store is open, and its position is known
	halt          chan struct{}      // closed when this program is too old for the data
	trimmed       chan struct{}      // closed when this node cannot follow the journal and must join again
	outdated      func()             // closes halt

	displaced chan error         // gets an error if another process takes over the installation
	stopGuard context.CancelFunc // nil: there is no guard
	guarding  sync.WaitGroup
}

// Options are set by the program, in addition to the configuration.
type Options struct {
	Version       string
	Commit        string
	NoFirstUser   bool                  // the program creates the users
	AdminPassword string                // of the first user; empty: one is generated
	ShowPassword  func(password string) // called with the generated password
	AcceptSecret  bool                  // of this node as the new secret of the cluster
	SMTPPassword  string                // unless the configuration names a file
	StorePassword string                // of ClickHouse, unless the configuration names a file
	StoreProbe    time.Duration         // between two probes whether ClickHouse answers; 0: the default
	Log           *slog.Logger
	Now           func() time.Time // nil: time.Now, and the journal's clock for its entries
	Hasher        password.Hasher  // zero: password.DefaultHasher
	Enrich        *enrich.Enricher // nil: an enricher with all models
	Demo          *Demo            // set for the demo only
	SourceKinds   []connector.Kind // kinds of live sources; nil: all
	ImageModel    *picture.Model   // nil: the one in the configuration

	gate   *gate         // set by Run
	limits *limit.Limits // nil: as configured
}

// Demo contains what the demo does differently: the sign-in page shows its user, requests are logged
// at debug level, so the address and password stay visible in the terminal, and live sources and
// pictures do not come from networks.
type Demo struct {
	Username string // shown on the sign-in page; empty: none
	Password string
	Kinds    func([]connector.Kind) []connector.Kind // replaces the kinds of live sources; nil: does not
	Silent   bool                                    // channels send nothing

	// Picture returns the picture at a URL, as fetching does. If it is nil, pictures are fetched.
	Picture func(ctx context.Context, url string) (body []byte, contentType string, err error)
}

// Open builds an App and starts its background work. The App serves requests once Ready returns.
func Open(ctx context.Context, cfg config.Config, o Options) (_ *App, err error) {
	clock := o.Now
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.gate == nil {
		o.gate = newGate(o.Log, 0)
	}
	if o.limits == nil {
		o.limits = newLimits(cfg, o.Log)
	}
	a := &App{config: cfg, options: o, log: o.Log, started: time.Now(), stop: func() {}, stopping: make(chan struct{}), displaced: make(chan error, 1), halt: make(chan struct{}), trimmed: make(chan struct{})}
	a.outdated = sync.OnceFunc(func() { close(a.halt) })
	defer func() {
		if err != nil {
			a.Close()
		}
	}()
	if err := operate.CheckFinished(cfg.Data); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if err := a.verifySecret(); err != nil {
		return nil, err
	}
	if err := a.openEngines(ctx); err != nil {
		return nil, err
	}
	if clock != nil {
		a.Journal = journal.WithClock(a.Journal, clock)
	}
	o.gate.Begin("loading the models")
	if err := a.buildServices(); err != nil {
		return nil, err
	}
	o.gate.Begin("finishing interrupted removals")
	if err := a.Content.FinishRemovals(ctx); err != nil {
		return nil, err
	}
	if !o.NoFirstUser {
		generated, err := a.Accounts.CreateAdmin(ctx, o.AdminPassword)
		if generated != "" && o.ShowPassword != nil {
			o.ShowPassword(generated)
		}
		if err != nil {
			return nil, fmt.Errorf("create first user: %w", err)
		}
	}
	a.handler = a.buildHandler()
	return a, a.start(ctx)
}

// verifySecret returns an error if the secret is damaged. It runs before any file is written.
func (a *App) verifySecret() error {
	findings, err := operate.SecretFile(a.config).Check()
	if err != nil {
		return fmt.Errorf("token secret: %w", err)
	}
	return integrity.Stopping(findings)
}

// authenticate rejects requests until the journal is processed, because results would be incomplete
// before that.
func (a *App) authenticate(ctx context.Context, token string) (*earshot.Caller, error) {
	if err := a.checkReady(); err != nil {
		return nil, err
	}
	return a.Accounts.Authenticate(ctx, token)
}

// session is authenticate for browsers.
func (a *App) session(ctx context.Context, cookie string) (rest.Session, error) {
	if err := a.checkReady(); err != nil {
		return rest.Session{}, err
	}
	s, err := a.Accounts.FindSession(ctx, cookie)
	return rest.Session{Caller: s.Caller, CSRF: s.CSRF}, err
}

// checkReady returns an error until the journal is processed.
func (a *App) checkReady() error {
	if !a.ready.Load() {
		return errStarting
	}
	return nil
}

var errStarting = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "Earshot is starting and has not processed all posts yet. Please try again in a moment"}

// start resumes where the last run ended, and starts all background work.
func (a *App) start(ctx context.Context) error {
	a.options.gate.Begin("finding the journal position")
	if !a.config.Clustered() { // otherwise RunSweep does
		a.Training.Sweep(ctx)
	}
	if err := a.pipeline.Prepare(ctx); err != nil {
		return err
	}
	if a.config.FetchImages {
		if err := a.Pictures.Begin(ctx); err != nil {
			return fmt.Errorf("find the journal position of pictures: %w", err)
		}
	}
	a.options.gate.Begin("finding monitors to rematch")
	if err := a.rematch.Load(ctx); err != nil {
		return fmt.Errorf("find monitors to rematch: %w", err)
	}
	ctx, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	a.opened.Store(true)
	a.running.Go(func() {
		select {
		case <-ctx.Done():
		case <-a.halt:
			a.stop()
		}
	})
	a.runPipeline(ctx)
	if a.config.Clustered() {
		handlers := a.handlers()
		a.running.Go(func() { a.cluster.Serve(ctx, handlers) })
	}
	a.running.Go(func() { a.cluster.Follow(ctx) })
	a.running.Go(func() { a.rematch.Run(ctx) })
	a.running.Go(func() {
		// Results of pending analyses would be incomplete before the journal is processed.
		if a.waitCaughtUp(ctx) {
			a.Analysis.Run(ctx)
		}
	})
	a.running.Go(func() { a.runRoles(ctx) })
	a.running.Go(func() { a.Shares.Run(ctx) })
	a.running.Go(func() { a.Pictures.Maintain(ctx) })
	a.running.Go(func() { limit.Release(ctx) })
	a.running.Go(func() { a.scrub.Run(ctx) })
	return nil
}

// Ready waits until the journal is processed, then admits requests. It does not wait for streams.
func (a *App) Ready(ctx context.Context) error { return a.waitReady(ctx, func(int64) {}) }

// waitReady is Ready, but also calls waiting with the number of remaining journal entries.
func (a *App) waitReady(ctx context.Context, waiting func(pending int64)) error {
	a.options.gate.Begin("processing the journal")
	if err := a.catchUp(ctx, false, waiting); err != nil {
		return err
	}
	a.options.gate.End()
	a.ready.Store(true)
	return nil
}

// CatchUp waits until the pipeline and the streams have caught up with the journal.
func (a *App) CatchUp(ctx context.Context) error { return a.catchUp(ctx, true, func(int64) {}) }

// AwaitIdle waits until the pipeline, the streams and the rematcher have nothing to do.
func (a *App) AwaitIdle(ctx context.Context) error {
	if err := a.CatchUp(ctx); err != nil {
		return err
	}
	for _, m := range a.catalog.Monitors.List() {
		for !a.idle(m.ID) {
			if !sleep.For(ctx, time.Millisecond) {
				return ctx.Err()
			}
		}
	}
	return nil
}

func (a *App) idle(id earshot.MonitorID) bool {
	state := a.rematch.Progress(id).State
	return state == rematch.Idle || state == rematch.Done || state == rematch.Failed
}

func (a *App) catchUp(ctx context.Context, streams bool, waiting func(pending int64)) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		pending, err := a.pending(ctx)
		if streams && err == nil {
			// Entries that the pipeline processes again because the streams lack them count, too.
			pending, err = a.Journal.Pending(ctx, a.pipeline.Reached())
			lag, lagErr := a.streamsLag(ctx)
			pending, err = pending+lag, cmp.Or(err, lagErr)
		}
		if err != nil { // the journal has already retried
			return fmt.Errorf("get the number of unprocessed journal entries: %w", err)
		}
		if pending == 0 {
			return nil
		}
		waiting(pending)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.trimmed:
			return errRejoin
		case <-tick.C:
		}
	}
}

// pending returns the number of journal entries that the pipeline has not processed.
func (a *App) pending(ctx context.Context) (int64, error) {
	_, at := a.pipeline.Processed()
	return a.Journal.Pending(ctx, at)
}

// Handler returns the handler for HTTP requests.
func (a *App) Handler() http.Handler { return a.handler }

// Close finishes the current batch and closes everything.
func (a *App) Close() {
	a.ready.Store(false)
	a.stop()
	a.running.Wait()
	if a.stopSnapshots != nil {
		a.stopSnapshots()
	}
	if a.Accounts != nil {
		a.Accounts.Close()
	}
	if a.posts != nil {
		if err := a.posts.Close(); err != nil {
			a.log.Error("closing the post store failed; the next start reads the missing posts from the journal", "error", err)
		}
	}
	if a.catalog != nil {
		a.catalog.Close()
	}
	if a.leave != nil {
		a.leave()
		a.member.Wait()
	}
	if a.stopGuard != nil {
		a.stopGuard()
		a.guarding.Wait()
	}
	if a.node != nil {
		a.node.Close()
	}
}
