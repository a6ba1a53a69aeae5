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

// Options say how a page looks at a site.
type Options struct {
	Site          string // http://127.0.0.1:port
	Width, Height int    // 1280 × 800 when zero
	Dark          bool   // the colours that the page is asked for
	Scale         float64
}

// zone is that of the person at the browser. It is not the zone of any monitor
// or server, so that a page that takes it for theirs shows wrong hours.
const zone = "Pacific/Auckland"

// maxPhoneWidth is the width below which the browser is a phone's.
const maxPhoneWidth = 600

// A Page is a tab with cookies of its own. Its methods end the test when what
// they are asked for does not come about.
type Page struct {
	t    testing.TB
	ctx  context.Context
	site string
	log  *pageLog
}

// Open opens an empty page. When the test ends, the page is closed, and the test
// fails if something went wrong on it.
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

// emulate sets the size, the colours, the zone and the language.
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

// command is a command of the browser whose answer does not matter.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// close ends the page and reports what went wrong on it.
func (p *Page) close(end func()) {
	p.t.Helper()
	if p.t.Failed() {
		p.t.Logf("the page at the end: %s", p.describe())
	}
	// The browser sends in order: with this answer everything before it is noted.
	_ = chromedp.Do(p.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := evaluate(ctx, t, "0")
		return err
	}))
	end()
	for _, wrong := range p.log.problems() {
		p.t.Error(wrong)
	}
}

// describe tells what the page shows, for those who look for the cause of a failure.
func (p *Page) describe() string {
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + (document.body?.innerText ?? "").slice(0, 3000)`))
	if err != nil {
		return err.Error()
	}
	return text
}
