package browsertest

import (
	"context"
	"errors"

	"github.com/chromedp/chromedp"
)

// textFunction returns the visible text of an element, without leading and trailing space.
const textFunction = `function() { return (this.innerText ?? this.textContent).trim(); }`

// Text waits for an element and returns its visible text.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return p.callString(selector, textFunction)
}

// Value waits for a field and returns its value.
func (p *Page) Value(selector string) string {
	p.t.Helper()
	return p.callString(selector, `function() { return this.value; }`)
}

// Attribute waits for an element and returns an attribute, or "".
func (p *Page) Attribute(selector, name string) string {
	p.t.Helper()
	return p.callString(selector, `function(name) { return this.getAttribute(name) ?? ""; }`, name)
}

func (p *Page) callString(selector, function string, args ...any) (result string) {
	p.t.Helper()
	p.until("look at "+selector, func(ctx context.Context, t *chromedp.Target) (err error) {
		result, err = callOn[string](ctx, t, selector, function, args...)
		return err
	})
	return result
}

// Texts returns the visible text of all elements that match a selector now. It does not wait.
func (p *Page) Texts(selector string) (texts []string) {
	p.t.Helper()
	p.until("look at "+selector, func(ctx context.Context, t *chromedp.Target) error {
		found, err := locate(ctx, t, selector)
		if err != nil && !errors.Is(err, errNotFound) {
			return err
		}
		texts = nil
		for _, f := range found {
			text, err := call[string](ctx, t, f, textFunction)
			if err != nil {
				return err
			}
			texts = append(texts, text)
		}
		return nil
	})
	return texts
}

// Count returns the number of elements that match a selector now. It does not wait.
func (p *Page) Count(selector string) int {
	p.t.Helper()
	return len(p.Texts(selector))
}
