package webtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/demo"
	"earshot/internal/secret/password"
	"earshot/internal/test/testenv"
	"earshot/internal/test/webtest/browsertest"
)

// An environment is a running server with the demo, and a browser.
type environment struct {
	browser   *browsertest.Browser
	app       *app.App
	site      string                      // http://127.0.0.1:port
	folder    string                      // data directory
	monitors  map[string]*earshot.Monitor // by name
	stream    *earshot.Stream
	dashboard *earshot.Dashboard
	source    *earshot.LiveSource // Bluesky
	loaded    earshot.Position    // last journal entry of the demo
	mail      *mailServer
	stop      func()
}

// generator returns the generator of the demo's posts. For tests it makes fewer posts than the demo
// has, enough for every chart but loaded within seconds. Screenshots show the full demo.
func generator() demo.Generator {
	g := demo.Generator{Seed: 1, Days: 35, End: time.Now().UTC().Truncate(time.Hour), PerDay: 200, Pictures: true}
	if *screenshots != "" {
		g.Days, g.PerDay = 90, 0
	}
	return g
}

// sharedEnv starts the environment when the first test needs it. startedEnv is nil before.
var (
	sharedEnv  = sync.OnceValues(startEnv)
	startedEnv atomic.Pointer[environment]
)

func TestMain(m *testing.M) {
	code := m.Run()
	if w := startedEnv.Load(); w != nil {
		w.stop()
	}
	os.Exit(code)
}

// env returns the shared environment. It skips the test if no browser is installed.
func env(t *testing.T) *environment {
	t.Helper()
	testenv.SkipUnderRace(t)
	if _, err := browsertest.Find(); errors.Is(err, browsertest.ErrNoBrowser) && !browsertest.Required() {
		testenv.SkipMissing(t, err)
	}
	w, err := sharedEnv()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// open opens a page of the demo without signing in.
func (w *environment) open(t *testing.T, o browsertest.Options) *browsertest.Page {
	t.Helper()
	o.Site = w.site
	return w.browser.Open(t, o)
}

func startEnv() (*environment, error) {
	browser, err := browsertest.Launch()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "earshot-web")
	if err != nil {
		browser.Close()
		return nil, err
	}
	w := &environment{browser: browser, folder: folder, monitors: map[string]*earshot.Monitor{}, mail: startMail()}
	end, err := w.serve(folder)
	w.stop = func() {
		browser.Close()
		end()
		w.mail.Close()
		os.RemoveAll(folder)
	}
	if err != nil {
		w.stop()
		return nil, err
	}
	startedEnv.Store(w)
	return w, nil
}

// serve starts the server and returns when it accepts requests and knows what the pictures show. end stops it and waits until it has
// stopped.
func (w *environment) serve(folder string) (end func(), err error) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.Listen, cfg.RestrictedSources, cfg.FetchImages = folder, 0, "127.0.0.1:0", nil, true
	cfg.AllowPrivateChannels, cfg.SMTPAddress, cfg.SMTPFrom, cfg.SMTPTLS = true, w.mail.address(), "earshot@example.com", config.NoTLS
	options := app.Options{Version: "test", NoFirstUser: true, Hasher: password.Hasher{Memory: 64, Passes: 1, Threads: 1}}
	options.Demo = &app.Demo{Kinds: demo.Kinds, Picture: servePicture} // without users, so that the sign-in page is that of other installations
	ctx, cancel := context.WithCancel(context.Background())
	ended, ready := make(chan error, 1), make(chan string, 1)
	go func() {
		ended <- app.Run(ctx, cfg, options, app.Hooks{Prepare: w.load, Ready: func(address string) { ready <- address }})
	}()
	select {
	case address := <-ready:
		w.site = "http://" + address
		return func() { cancel(); <-ended }, w.awaitPictures(ctx)
	case err := <-ended:
		return cancel, err
	}
}

// awaitPictures waits until the pictures of the demo's posts have been looked at, so that counts of
// what they show stay the same.
func (w *environment) awaitPictures(ctx context.Context) error {
	for end := time.Now().Add(2 * time.Minute); w.app.Pictures.Done() < w.loaded; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("the pictures of the demo are not done: %+v", w.app.Pictures.Stats())
		}
	}
	return w.app.CatchUp(ctx)
}

// load loads the demo.
func (w *environment) load(ctx context.Context, a *app.App) error {
	w.app = a
	list, err := generator().Load(ctx, demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Dashboards: a.Dashboards, Sources: a.Sources, Journal: a.Journal})
	if err != nil {
		return err
	}
	for _, m := range list {
		w.monitors[m.Name] = m
	}
	owner := earshot.NewCaller(a.Accounts.ListUsers()[0])
	w.stream = a.Streams.List(owner, list[0].Team)[0]
	w.dashboard = a.Dashboards.List(owner, list[0].Team)[0]
	w.source = a.Sources.List(owner, list[0].Team)[0].LiveSource
	w.loaded, err = a.Journal.Last(ctx)
	return err
}
