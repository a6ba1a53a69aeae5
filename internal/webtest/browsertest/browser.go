// Package browsertest lets tests use the web app in a real browser, as people
// do: open a page, click what has a name, type, look.
//
// Its one idea is that a page notes everything that goes wrong on it. When the
// test ends, it fails for each error on the console, exception, breach of the
// Content-Security-Policy, failed request, refused request that the test did
// not announce, and request to another host. A test says only what should be
// there, and every wait ends by a deadline.
//
// What is tested is up to others: a test brings the address of a server.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/chromedp/chromedp"
)

// ErrNoBrowser says that there is no browser on this machine.
var ErrNoBrowser = errors.New("no browser found: install chromium, or name one in EARSHOT_CHROMIUM")

// programs are the names under which the browser may be installed.
var programs = []string{"chromium", "chromium-browser", "google-chrome"}

// A Browser is a running browser without a window. Many pages may be open in it.
type Browser struct {
	ctx  context.Context
	stop func()
}

// Find returns the path of the browser, or ErrNoBrowser.
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

// Required reports whether a machine without a browser is an error. Where it is
// not, tests that need one are skipped.
func Required() bool { return os.Getenv("EARSHOT_BROWSER") == "required" }

// Launch starts the browser. It reaches no address but 127.0.0.1.
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

// Close ends the browser and waits until it has ended.
func (b *Browser) Close() { b.stop() }
