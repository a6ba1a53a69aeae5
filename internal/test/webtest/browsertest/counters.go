package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/chromedp"
)

// Counters are the objects that a page keeps alive, shown or not.
type Counters struct {
	Nodes     int64
	Listeners int64 // of events
}

// Counters collects the garbage of the page and counts what is left.
func (p *Page) Counters() (c Counters) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	t := chromedp.FromContext(ctx).Target
	_, err := cdp.Call(ctx, t, heapprofiler.CollectGarbage, cdp.Empty{})
	if err == nil {
		var counted memory.GetDOMCountersResult
		counted, err = cdp.Call(ctx, t, memory.GetDOMCounters, cdp.Empty{})
		c = Counters{Nodes: counted.Nodes, Listeners: counted.JsEventListeners}
	}
	if err != nil {
		p.t.Fatalf("count the objects of the page: %v", err)
	}
	return c
}
