// Package browsertest drives a real browser in tests: open a page, click an element by its
// accessible name, type, and read what the page shows.
//
// Its one idea is that a page records everything that goes wrong. When the test ends, it fails for
// each console error, exception, violation of the Content-Security-Policy, failed request, request
// to another host, and error response that the test did not announce with [Page.Expect]. A test
// states only what the page should show, and every wait has a timeout.
//
// The package knows nothing about the pages it tests. A test passes the URL of a server in
// [Options].
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/chromedp/chromedp"
)

// ErrNoBrowser is returned if no browser is installed.
var ErrNoBrowser = errors.New("no browser found: install chromium-headless-shell or chromium, or name one in EARSHOT_CHROMIUM")

// programs lists the executables to look for, in order. The first one is Chromium without a user
// interface, with which all tests together need a quarter less processor time.
var programs = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// A Browser is a running headless browser. It can have many pages open.
type Browser struct {
	ctx  context.Context
	stop func()
}

// Find returns the path of the browser: the value of EARSHOT_CHROMIUM, or the first installed
// program. It returns [ErrNoBrowser] if there is none.
func Find() (string, error) {
	if path := os.Getenv("EARSHOT_CHROMIUM"); path != "" {
		return exec.LookPath(path)
	}
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

// Required reports whether a missing browser is an error, which EARSHOT_BROWSER=required says.
// Otherwise tests that need one are skipped.
func Required() bool { return os.Getenv("EARSHOT_BROWSER") == "required" }

// Launch starts the browser. The browser can reach only 127.0.0.1.
func Launch() (*Browser, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.DisableGPU,
	)
	ctx, release := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, quit := chromedp.NewContext(ctx)
	b := &Browser{ctx: ctx, stop: func() { quit(); release() }}
	if err := chromedp.Do(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return b, nil
}

// Close stops the browser and waits until it has exited.
func (b *Browser) Close() { b.stop() }
