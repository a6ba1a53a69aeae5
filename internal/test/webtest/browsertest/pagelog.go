package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A pageLog records the problems of a page.
type pageLog struct {
	host string
	open sync.WaitGroup // done when the page is closed and all events are recorded

	mu       sync.Mutex // guards the fields below
	wrong    []string
	requests map[network.RequestID]*network.Request
	failed   map[network.RequestID]string
	errors   []errorResponse
	expected []errorResponse
}

// An errorResponse is a response with an error status.
type errorResponse struct {
	status int64
	path   string
}

// watch starts to record the events of the page of a context.
func watch(ctx context.Context, host string) *pageLog {
	r := &pageLog{host: host, requests: map[network.RequestID]*network.Request{}, failed: map[network.RequestID]string{}}
	t := chromedp.FromContext(ctx).Target
	listen(r, t, runtime.ConsoleAPICalled, r.console)
	listen(r, t, runtime.ExceptionThrown, r.exception)
	listen(r, t, log.EntryAdded, r.entry)
	listen(r, t, network.RequestWillBeSent, r.request)
	listen(r, t, network.ResponseReceived, r.response)
	listen(r, t, network.LoadingFailed, r.failure)
	listen(r, t, network.WebSocketCreated, func(e network.EventWebSocketCreated) { r.checkHost(e.URL) })
	listen(r, t, inspector.TargetCrashed, func(inspector.EventTargetCrashed) { r.addProblem("the page crashed") })
	listen(r, t, page.JavascriptDialogOpening, func(e page.EventJavascriptDialogOpening) {
		if e.Type != page.DialogTypeBeforeunload {
			r.addProblem("the page opened a dialog (%s): %s", e.Type, e.Message)
		}
		_, _ = cdp.Call(ctx, t, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	})
	return r
}

// listen passes every event of a kind to take, until the page is closed.
func listen[E any](r *pageLog, t *chromedp.Target, kind cdp.Event[E], take func(E)) {
	events, _ := t.Subscribe(kind.Method)
	r.open.Go(func() {
		for raw := range events {
			var e E
			if err := jsonv2.Unmarshal(raw, &e); err != nil {
				r.addProblem("%s: %v", kind.Method, err)
				continue
			}
			take(e)
		}
	})
}

func (r *pageLog) addProblem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

func (r *pageLog) console(e runtime.EventConsoleAPICalled) {
	if e.Type != runtime.ConsoleAPICalledTypeError && e.Type != runtime.ConsoleAPICalledTypeAssert {
		return
	}
	var words []string
	for _, a := range e.Args {
		if a.Description != "" {
			words = append(words, a.Description)
		} else {
			words = append(words, string(a.Value))
		}
	}
	r.addProblem("console error: %s", strings.Join(words, " "))
}

func (r *pageLog) exception(e runtime.EventExceptionThrown) {
	r.addProblem("exception: %s", exceptionText(e.ExceptionDetails))
}

// entry records errors that the browser itself logs to the console, except those about requests,
// which response and failure record in more detail.
func (r *pageLog) entry(e log.EventEntryAdded) {
	if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
		r.addProblem("browser error (%s): %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
	}
}

func (r *pageLog) request(e network.EventRequestWillBeSent) {
	r.checkHost(e.Request.URL)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests[e.RequestID] = e.Request
}

// checkHost records a URL on another host as a problem.
func (r *pageLog) checkHost(address string) {
	u, err := url.Parse(address)
	if err == nil && (u.Scheme == "data" || u.Scheme == "blob" || u.Scheme == "about" || u.Host == r.host) {
		return
	}
	r.addProblem("request to another host: %s", address)
}

func (r *pageLog) response(e network.EventResponseReceived) {
	if e.Response.Status < 400 {
		return
	}
	path := e.Response.URL
	if u, err := url.Parse(path); err == nil {
		path = u.Path
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, errorResponse{e.Response.Status, path})
}

// failure records requests that got no response. It ignores requests that the page itself canceled,
// for example because the user left it.
func (r *pageLog) failure(e network.EventLoadingFailed) {
	if e.Canceled || e.ErrorText == "net::ERR_ABORTED" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed[e.RequestID] = strings.TrimSpace(e.ErrorText + " " + string(e.BlockedReason))
}

// expect allows error responses with a status from paths with a prefix.
func (r *pageLog) expect(status int, path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected = append(r.expected, errorResponse{int64(status), path})
}

// problems waits until the page is closed and returns all problems.
func (r *pageLog) problems() []string {
	r.open.Wait()
	wrong := r.wrong
	for _, got := range r.errors {
		if !r.isExpected(got) {
			wrong = append(wrong, fmt.Sprintf("%s answered %d; a test that provokes this says so with Expect", got.path, got.status))
		}
	}
	for id, why := range r.failed {
		if q := r.requests[id]; q != nil {
			wrong = append(wrong, fmt.Sprintf("%s %s failed: %s", q.Method, q.URL, why))
		}
	}
	return wrong
}

func (r *pageLog) isExpected(got errorResponse) bool {
	for _, a := range r.expected {
		if a.status == got.status && strings.HasPrefix(got.path, a.path) {
			return true
		}
	}
	return false
}
