package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/analysis"
	"earshot/internal/cluster"
	"earshot/internal/config"
	"earshot/internal/content"
	"earshot/internal/http/api"
	"earshot/internal/http/manage"
	"earshot/internal/http/rest"
	"earshot/internal/http/ui"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/ingest/rematch"
	"earshot/internal/insight"
	"earshot/internal/model/enrich"
	"earshot/internal/model/training"
	"earshot/internal/monitor"
	"earshot/internal/notify/digest"
	"earshot/internal/notify/signal"
	"earshot/internal/operate"
	"earshot/internal/operate/backup"
	"earshot/internal/operate/erasure"
	"earshot/internal/operate/integrity"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
	"earshot/internal/query/filter"
	"earshot/internal/report"
	"earshot/internal/secret/vault"
	"earshot/internal/source"
	"earshot/internal/state/catalog"
	feedstore "earshot/internal/state/feed/jetstream"
	journalstore "earshot/internal/state/journal/jetstream"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/position"
	"earshot/internal/stream"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/correction"
	"earshot/internal/workspace/dashboard"
	"earshot/internal/workspace/export"
	"earshot/internal/workspace/incident"
	"earshot/internal/workspace/label"
	"earshot/internal/workspace/mark"
	"earshot/internal/workspace/postview"
	"earshot/internal/workspace/share"
)

// openEngines opens NATS with all its stores, and the post store.
func (a *App) openEngines(ctx context.Context) (err error) {
	begin := a.options.gate.Begin
	begin("inspecting the post store")
	posts, err := operate.InspectStore(ctx, a.config, operate.StoreOptions{Password: a.options.StorePassword, Log: a.log}) // before anything is changed
	if err != nil {
		return err
	}
	begin("opening NATS")
	options, err := operate.NATSOptions(a.config, a.log)
	if err != nil {
		return err
	}
	options.Peer = operate.PeerOf(posts)
	if _, remote := a.config.ClickHouse(); remote {
		options.Peer.Name = "ClickHouse database"
	}
	if options.Cluster != nil {
		options.Cluster.Waiting = begin
	}
	if a.node, err = natsnode.Open(ctx, options); err != nil {
		return fmt.Errorf("open NATS: %w", err)
	}
	if err := a.guardInstallation(ctx); err != nil {
		return err
	}
	begin("opening the catalog")
	records, err := natsnode.OpenBucket(ctx, a.node, natsnode.BucketOptions{Name: catalog.BucketName})
	if err != nil {
		return fmt.Errorf("open catalog: %w", err)
	}
	if a.catalog, err = catalog.Open(ctx, position.Store(a.freeze.Catalog(records), a.config.Clustered()), a.log); err != nil {
		return err
	}
	if a.config.Clustered() {
		if err := a.agreeOnSecret(ctx); err != nil {
			return err
		}
		mutex, err := natsnode.OpenMutex(ctx, records, "exclusive")
		if err != nil {
			return fmt.Errorf("open catalog: %w", err)
		}
		a.catalog.Lock = mutex.Acquire
	}
	begin("opening the journal")
	entries, err := journalstore.Open(ctx, a.node, a.journalOptions(records))
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	a.Journal = cluster.NotePositions(a.freeze.Journal(entries))
	begin("opening the streams")
	if a.feed, err = feedstore.Open(ctx, a.node, feedstore.Options{Log: a.log}); err != nil {
		return fmt.Errorf("open streams: %w", err)
	}
	begin("opening the analyses")
	if a.ledger, err = operate.OpenLedger(ctx, a.node); err != nil {
		return err
	}
	begin("opening the live sources")
	if a.connectorRecords, err = natsnode.OpenBucket(ctx, a.node, natsnode.BucketOptions{Name: source.BucketName}); err != nil {
		return fmt.Errorf("open live sources: %w", err)
	}
	if a.roles, err = a.openRoles(ctx); err != nil {
		return err
	}
	if err := a.enterCluster(ctx); err != nil {
		return err
	}
	if err := a.join(ctx, posts); err != nil {
		return err
	}
	begin("opening the post store")
	if err := a.openPosts(ctx); err != nil {
		return err
	}
	// A backup reads the journal and the catalog directly; all writes go through freeze.
	var others backup.Others
	if a.config.Clustered() {
		others = cluster.Others{Membership: a.cluster}
	}
	a.backups = &backup.Service{
		Posts:   a.files,
		Others:  others,
		Journal: entries,
		Catalog: records,
		Streams: a.feed,
		Results: a.ledger,
		Sources: a.connectorRecords,
		Freeze:  &a.freeze,
		Secret:  a.config.SecretPath(),
		Dir:     a.config.Data,
		Version: a.options.Version,
		Now:     a.options.Now,
		Save:    func(ctx context.Context) { a.Sources.Save(ctx) },

		Installation: a.node.Installation(), CatalogRevision: a.catalog.Revision,
		VerifyPosts: local.VerifyCheckpoint,
		VerifyState: func(ctx context.Context) error { return operate.VerifyState(ctx, a.config) },
	}
	if err := a.backups.Clean(); err != nil {
		return err
	}
	if a.files != nil {
		a.stopSnapshots, err = a.cluster.ServeSnapshots(a.config.Data, a.files)
	}
	return err
}

// buildServices builds the services from the engines, each from those before it. The exceptions are the
// pipeline and the training, which call services that are built on them, through a.
func (a *App) buildServices() error {
	secret, err := a.loadSecret()
	if err != nil {
		return fmt.Errorf("token secret: %w", err)
	}
	a.secret = secret
	enricher, err := a.enricher()
	if err != nil {
		return err
	}
	var verify func(context.Context, integrity.Progress) ([]integrity.Finding, error)
	if a.files != nil {
		verify = a.files.Verify
	}
	a.scrub = &operate.Scrubber{Config: a.config, Posts: verify, Log: a.log, Now: a.options.Now}
	a.Shares = share.New(share.Options{Catalog: a.catalog, Secret: secret, Hasher: a.options.Hasher, Hashing: a.options.limits.Hashing, Now: a.options.Now, Log: a.log})
	a.Dashboards = &dashboard.Service{Catalog: a.catalog, Now: a.options.Now}
	a.Marks = &mark.Service{Catalog: a.catalog, Posts: a.posts, Now: a.options.Now}
	a.Corrections = &correction.Service{Catalog: a.catalog, Posts: a.posts, Now: a.options.Now}
	a.Labels = &label.Service{Catalog: a.catalog, Posts: a.posts, Now: a.options.Now}
	a.Content = &content.Service{Catalog: a.catalog, Journal: a.Journal, Store: a.posts, Now: a.options.Now, Shared: a.config.Clustered()}
	if a.Pictures, err = a.newPictures(); err != nil {
		return err
	}
	a.buildIngest(enricher)
	if a.looks, err = a.newSecondLook(enricher); err != nil {
		return err
	}
	a.Monitors = &monitor.Service{Catalog: a.catalog, Rematcher: a.rematch, Journal: a.Journal, Now: a.options.Now, Log: a.log, CostLimit: a.config.MonitorCostLimit, Times: a.pipeline.MatchTimes}
	a.Sources = a.newSources(secret)
	a.Analysis = analysis.New(analysis.Options{
		Ledger:   a.ledger,
		Store:    a.posts,
		Catalog:  a.catalog,
		Shared:   a.config.Clustered(),
		Baseline: a.pipeline.Baseline,
		Wait:     time.Duration(a.config.AnalysisWait) * time.Second,
		Now:      a.options.Now,
		Log:      a.log,
	})
	a.Insight = &insight.Service{
		Store: &correction.Reader{Store: a.posts, Corrections: a.Corrections}, Corrections: a.Corrections,
		Uncorrected: a.posts, Samples: a.Labels, ContentDomain: a.Content.Domain,
		Journal: a.Journal, Baseline: a.pipeline.Baseline, Opinions: a.Training, Now: a.options.Now,
		CustomSentiment: a.config.SentimentModel != "", CustomEmotion: a.config.EmotionModel != "", CustomLook: a.config.SecondLookModel != "",
		Models: enricher.ModelVersion, OwnAccounts: a.Monitors.OwnAccounts,
	}
	a.filters = &filter.Service{Monitors: a.Monitors, Marks: a.Marks, Corrections: a.Corrections}
	a.views = &postview.Service{
		Monitors: a.Monitors, Categorizer: a.Insight, Marks: a.Marks, Corrections: a.Corrections,
		Restricted: a.config.RestrictedSources, ForClients: a.forClients(),
	}
	a.incidents = &incident.Service{
		Insight: a.Insight, Filters: a.filters, Monitors: a.Monitors, Catalog: a.catalog, Now: a.options.Now, Log: a.log,
		Restricted: a.config.RestrictedSources,
	}
	a.cards = &card.Service{
		Catalog: a.catalog, Monitors: a.Monitors, Insight: a.Insight, Incidents: a.incidents, Filters: a.filters, Views: a.views,
		Sources: a.Sources, Annotations: a.Marks, Now: a.options.Now, Log: a.log,
	}
	a.composer = &digest.Composer{
		Catalog: a.catalog, Ledger: a.ledger, Monitors: a.Monitors, Cards: a.cards, Incidents: a.incidents, PublicURL: a.config.WebURL(), Now: a.options.Now, Log: a.log,
		Fonts: report.NewFonts(a.config.ReportFonts, func(file string, err error) {
			a.log.Warn("cannot use font for reports", "file", file, "error", err)
		}),
	}
	if a.Deliveries, err = a.newDeliveries(secret); err != nil {
		return err
	}
	a.Accounts = account.New(account.Options{Catalog: a.catalog, Secret: secret, Hasher: a.options.Hasher, Now: a.options.Now, Log: a.log, Hashing: a.options.limits.Hashing, Mailer: a.Deliveries})
	a.Digest = digest.New(digest.Options{Catalog: a.catalog, Ledger: a.ledger, Notify: a.Deliveries.Enqueue, Now: a.options.Now, Log: a.log})
	a.Signals = &signal.Service{
		Posts: a.Insight.Store, Catalog: a.catalog, Monitors: a.Monitors, Filters: a.filters, Insight: a.Insight, Now: a.options.Now, Log: a.log,
		Sources: a.Sources, Deliveries: a.Deliveries, Restricted: a.config.RestrictedSources,
	}
	a.Erasure = &erasure.Service{
		Catalog: a.catalog, Journal: a.Journal, Posts: a.posts, Training: a.Training, Secret: secret, Now: a.options.Now,
		Marks: []erasure.Marks{a.Marks, a.Corrections, a.Labels, a.Deliveries, a.Signals},
	}
	return nil
}

// buildIngest builds the services that a post passes through.
func (a *App) buildIngest(enricher *enrich.Enricher) {
	var await func(context.Context, earshot.Position) error
	if a.config.Clustered() {
		await = a.awaitStored
	}
	var unseen func(*earshot.Post) bool
	if a.config.FetchImages {
		unseen = a.Pictures.IsUnseen
	}
	var writes func() bool
	if a.remote != nil {
		writes = a.remote.Writes
	}
	a.Streams = &stream.Service{Catalog: a.catalog, Posts: a.posts, Feed: a.feed, Journal: a.Journal, Now: a.options.Now, Log: a.log, Await: await, Unseen: unseen}
	a.pipeline = &pipeline.Pipeline{
		Journal: a.Journal, Enrich: enricher, Catalog: a.catalog, Store: a.posts, Streams: a.Streams, Log: a.log,
		Categorizers: func(m *earshot.Monitor) []pipeline.Categorizer { return a.rematch.Categorizers(m) },
		Filter:       func(posts []earshot.Post) ([]earshot.Post, error) { return a.Erasure.Filter(posts) },
		Stored:       func(posts []poststore.MatchedPost) { a.Signals.Touch(posts) },
	}
	a.Training = &training.Service{Catalog: a.catalog, Posts: a.posts, Enrich: enricher.All, Rematcher: rematcher{a}, Log: a.log, Now: a.options.Now}
	a.rematch = rematch.New(rematch.Options{
		Catalog: a.catalog, Store: a.posts, Enrich: enricher, Trainer: a.Training, Log: a.log, Now: a.options.Now, Barrier: a.pipeline.Barrier,
		Shared: a.config.Clustered(), Others: a.cluster.ModelsInUse, Writes: writes, Pictures: a.Pictures.Refresh,
	})
}

// A rematcher passes requests of package training to package rematch, which is built after it.
type rematcher struct{ *App }

// Rematch implements [training.Matcher].
func (a rematcher) Rematch(id earshot.MonitorID) <-chan struct{} { return a.rematch.Rematch(id) }

// InUse implements [training.Matcher].
func (a rematcher) InUse(id earshot.MonitorID) int64 { return a.rematch.InUse(id) }

// loadSecret loads or creates the secret that signs tokens. It warns if that ends all tokens, or if
// others can read the secret.
func (a *App) loadSecret() ([]byte, error) {
	file := operate.SecretFile(a.config)
	existed := file.Exists()
	secret, err := file.Load()
	if err != nil {
		return nil, err
	}
	switch wasOpen, err := file.Restrict(); {
	case err != nil:
		a.log.Warn("others can read the secret that signs tokens; restrict the file to its owner", "file", file.Path, "error", err)
	case wasOpen:
		a.log.Warn("others could read the secret that signs tokens; the file is now restricted to its owner", "file", file.Path)
	case !existed && len(a.catalog.Users.List()) > 0:
		a.log.Warn("the secret that signs tokens was missing; a new one was created, so all tokens and sessions are invalid", "file", file.Path)
	case !existed:
		a.log.Info("created the secret that signs tokens", "file", file.Path)
	}
	return secret, nil
}

// buildHandler combines the route tables.
func (a *App) buildHandler() http.Handler {
	requestLevel := slog.LevelInfo
	var login *manage.DemoLogin
	if demo := a.options.Demo; demo != nil {
		requestLevel = slog.LevelDebug
		if demo.Username != "" {
			login = &manage.DemoLogin{Username: demo.Username, Password: demo.Password}
		}
	}
	public := &api.API{
		Accounts:   a.Accounts,
		Monitors:   a.Monitors,
		Content:    a.Content,
		Insight:    a.Insight,
		Training:   a.Training,
		Streams:    a.Streams,
		Analysis:   a.Analysis,
		Now:        a.options.Now,
		Version:    a.options.Version,
		Filters:    a.filters,
		Posts:      a.views,
		Pictures:   a.Pictures,
		ForClients: a.forClients(),
	}
	management := &manage.API{
		Accounts:      a.Accounts,
		Monitors:      a.Monitors,
		Content:       a.Content,
		Insight:       a.Insight,
		Training:      a.Training,
		Streams:       a.Streams,
		Analysis:      a.Analysis,
		Sources:       a.Sources,
		SourceKinds:   a.Sources.Kinds,
		Erasure:       a.Erasure,
		Marks:         a.Marks,
		Corrections:   a.Corrections,
		Labels:        a.Labels,
		Exports:       &export.Service{Insight: a.Insight, Views: a.views, Monitors: a.Monitors, Corrections: a.Corrections},
		Dashboards:    a.Dashboards,
		Shares:        a.Shares,
		Digest:        a.Digest,
		Deliveries:    a.Deliveries,
		Signals:       a.Signals,
		Pictures:      a.Pictures,
		OPML:          feedLists(),
		Contract:      a.catalog,
		Status:        a.status,
		Cluster:       a.cluster.Status,
		RemoveNode:    a.cluster.Remove,
		Backup:        a.backups.Write,
		Rematch:       a.rematch,
		Ready:         a.checkReady,
		ModelVersions: enrich.Versions(),
		Now:           a.options.Now,
		Log:           a.log,
		Filters:       a.filters,
		Posts:         a.views,
		Cards:         a.cards,
		Incidents:     a.incidents,
		Composer:      a.composer,
		Version:       a.options.Version,
		Demo:          login,
	}
	a.metrics = a.newMetrics()
	routes := append(public.Routes(), management.Routes()...)
	routes = append(routes,
		rest.Plain("GET", "/healthz", http.HandlerFunc(a.health)).Health(),
		rest.Plain("GET", "/readyz", http.HandlerFunc(a.readiness)).Health(),
		rest.Plain("GET", "/metrics", http.HandlerFunc(a.metrics.serve)),
	)
	a.routes = append(routes, ui.Routes(ui.Files())...)
	return rest.New(rest.Options{
		Authenticate: a.authenticate,
		Session:      a.session,
		Origins:      a.config.AllowedOrigins,
		HTTPS:        strings.HasPrefix(a.config.PublicURL, "https://"),
		Limits:       a.options.limits,
		Positions:    cluster.Positions{Catalog: a.catalog, Pipeline: a.pipeline},
		Answers:      a.answers(),
		Log:          a.log,
		RequestLevel: requestLevel,
		Observe:      a.metrics.observe,
		Stopping:     a.stopping,
		NotFound:     ui.NotFound(ui.Files()),
		Now:          a.options.Now,

		AccessChanges:  a.catalog.Users.Notify,
		PositionCookie: a.config.Clustered(),
	}, a.routes)
}

// answers keeps the answers to requests that clients may repeat.
func (a *App) answers() *catalog.Answers {
	return &catalog.Answers{Catalog: a.catalog, Vault: vault.Vault{Key: a.secret, Purpose: "earshot answers v1"}}
}

// forClients reports whether the public API deviates from the specification for existing programs.
func (a *App) forClients() bool { return a.config.Compat == config.CompatClients }
