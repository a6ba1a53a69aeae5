package browsertest

import (
	"cmp"
	"context"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Options configure a page.
type Options struct {
	Site          string  // http://127.0.0.1:port
	Width, Height int     // of the viewport in pixels; 1280 × 800 if zero
	Dark          bool    // prefer a dark color scheme
	Scale         float64 // device pixels per CSS pixel; 1 if zero
}

// zone is the browser's time zone. It differs from the time zone of every monitor and of the
// server, so that a page that uses the wrong one shows the wrong hours.
const zone = "Pacific/Auckland"

// maxPhoneWidth is the width below which the browser emulates a phone.
const maxPhoneWidth = 600

// A Page is a browser tab with its own cookies. Its methods fail the test if they do not succeed
// within the timeout.
type Page struct {
	t    testing.TB
	ctx  context.Context
	site string
	log  *pageLog

	states int // calls of AxeInTurn
	clicks int
}

// Open opens an empty page. It is closed when the test ends, and the test fails if something went
// wrong on the page.
func (b *Browser) Open(t testing.TB, o Options) *Page {
	t.Helper()
	site, err := url.Parse(o.Site)
	if err != nil || site.Host == "" {
		t.Fatalf("site %q is no address", o.Site)
	}
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	p := &Page{t: t, ctx: ctx, site: o.Site}
	if err := chromedp.Do(ctx); err != nil {
		end()
		t.Fatalf("open a page: %v", err)
	}
	p.log = watch(ctx, site.Host)
	t.Cleanup(func() { p.close(end) })
	if err := emulate(ctx, o); err != nil {
		t.Fatalf("open a page: %v", err)
	}
	return p
}

// Emulate turns the screen into another one, without loading the page again.
func (p *Page) Emulate(o Options) {
	p.t.Helper()
	if err := emulate(p.ctx, o); err != nil {
		p.t.Fatalf("change the screen: %v", err)
	}
}

// emulate sets the viewport, the color scheme, the time zone and the locale.
func emulate(ctx context.Context, o Options) error {
	width, height := cmp.Or(o.Width, 1280), cmp.Or(o.Height, 800)
	scheme := "light"
	if o.Dark {
		scheme = "dark"
	}
	return chromedp.Do(ctx,
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(width), Height: int64(height), DeviceScaleFactor: cmp.Or(o.Scale, 1), Mobile: width < maxPhoneWidth,
		}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
		}}),
		command(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: zone}),
		command(emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en_US"}),
		command(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
		command(accessibility.Enable, cdp.Empty{}),
	)
}

// command returns an action that sends a command to the browser and ignores the result.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// close closes the page and reports everything that went wrong on it.
func (p *Page) close(end func()) {
	p.t.Helper()
	if p.t.Failed() {
		p.t.Logf("the page at the end: %s", p.describe())
	}
	// The browser sends events in order, so this response arrives after all earlier events.
	_ = chromedp.Do(p.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := evaluate(ctx, t, "0")
		return err
	}))
	end()
	for _, wrong := range p.log.problems() {
		p.t.Error(wrong)
	}
}

// describe returns the URL and the text of the page, for the log of a failed test.
func (p *Page) describe() string {
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + (document.body?.innerText ?? "").slice(0, 3000)`))
	if err != nil {
		return err.Error()
	}
	return text
}
