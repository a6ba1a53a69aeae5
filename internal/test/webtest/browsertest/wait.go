package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// timeout is the maximum duration of each step. It is generous, so that tests pass on a busy
// machine.
const timeout = 90 * time.Second

// Between two checks of a condition, a page gets pollPause times the duration of the check, within
// these limits: to search a long page for a role and a name takes tens of milliseconds of processor
// time, which the page needs for loading.
const (
	pollPause = 3
	minPoll   = 40 * time.Millisecond
	maxPoll   = 400 * time.Millisecond
)

// until calls try until it succeeds. After the timeout it ends the test with the last error.
func (p *Page) until(what string, try func(ctx context.Context, t *chromedp.Target) error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	target := chromedp.FromContext(ctx).Target
	var last error
	for {
		start := time.Now()
		err := try(ctx, target)
		if err == nil {
			return
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("%s: %v", what, last)
		case <-time.After(min(max(minPoll, pollPause*time.Since(start)), maxPoll)):
		}
	}
}

// WaitFor waits until an element exists and is visible.
func (p *Page) WaitFor(selector string) {
	p.t.Helper()
	p.until("wait for "+selector, func(ctx context.Context, t *chromedp.Target) error {
		_, err := callOn[string](ctx, t, selector, visibleFunction)
		return err
	})
}

// visibleFunction throws an error unless the element is visible.
const visibleFunction = `function() {
	if (!this.checkVisibility({visibilityProperty: true})) throw new Error("it is not visible");
	return "";
}`

// WaitHidden waits until no element matches a selector.
func (p *Page) WaitHidden(selector string) {
	p.t.Helper()
	p.until("wait until there is no "+selector, func(ctx context.Context, t *chromedp.Target) error {
		switch found, err := locate(ctx, t, selector); {
		case errors.Is(err, errNotFound):
			return nil
		case err != nil:
			return err
		default:
			return fmt.Errorf("there are %d", len(found))
		}
	})
}

// WaitUntil waits until a JavaScript expression is true. The expression may be a promise.
func (p *Page) WaitUntil(expression string) {
	p.t.Helper()
	p.until("wait until "+expression, func(ctx context.Context, t *chromedp.Target) error {
		raw, err := evaluate(ctx, t, "(async () => !!("+expression+"))()")
		if err == nil && string(raw) != "true" {
			err = errors.New("it is not so")
		}
		return err
	})
}

// WaitText waits until the visible text of an element equals want.
func (p *Page) WaitText(selector, want string) {
	p.t.Helper()
	p.until(fmt.Sprintf("wait until %s says %q", selector, want), func(ctx context.Context, t *chromedp.Target) error {
		got, err := callOn[string](ctx, t, selector, textFunction)
		if err == nil && got != want {
			err = fmt.Errorf("it says %q", got)
		}
		return err
	})
}

// Eval evaluates a JavaScript expression, which may be a promise, and decodes its JSON into a
// pointer unless that is nil.
func (p *Page) Eval(expression string, into any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	raw, err := evaluate(ctx, chromedp.FromContext(ctx).Target, expression)
	if err == nil && into != nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", expression, err)
	}
}

// evaluate returns the value of an expression as JSON. undefined becomes null.
func evaluate(ctx context.Context, t *chromedp.Target, expression string) ([]byte, error) {
	yes := true
	res, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes})
	switch {
	case err != nil:
		return nil, err
	case res.ExceptionDetails != nil:
		return nil, errors.New(exceptionText(res.ExceptionDetails))
	case len(res.Result.Value) == 0:
		return []byte("null"), nil
	}
	return res.Result.Value, nil
}

// exceptionText returns the message and stack of an exception.
func exceptionText(e *runtime.ExceptionDetails) string {
	if e.Exception != nil && e.Exception.Description != "" {
		return e.Exception.Description
	}
	return e.Text
}
