package browsertest

import (
	"context"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Screenshot writes the visible part of the page to a PNG file.
func (p *Page) Screenshot(file string) {
	p.t.Helper()
	p.capture(file, page.CaptureScreenshotParams{})
}

// ScreenshotAll writes the whole page to a PNG file, including the parts that need scrolling.
func (p *Page) ScreenshotAll(file string) {
	p.t.Helper()
	var size struct{ Width, Height float64 }
	p.Eval("({width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight})", &size)
	beyond := true
	p.capture(file, page.CaptureScreenshotParams{
		Clip: &page.Viewport{Width: size.Width, Height: size.Height, Scale: 1}, CaptureBeyondViewport: &beyond,
	})
}

func (p *Page) capture(file string, params page.CaptureScreenshotParams) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	// Everything drawn so far is on the screen after the second frame.
	p.Eval("document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))", nil)
	shot, err := cdp.Call(ctx, chromedp.FromContext(ctx).Target, page.CaptureScreenshot, params)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(file, shot.Data, 0o644)
	}
	if err != nil {
		p.t.Fatalf("screenshot %s: %v", file, err)
	}
}
