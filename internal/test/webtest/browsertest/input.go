package browsertest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A point is a position for the pointer, or the reason why an element cannot be clicked yet.
type point struct {
	X, Y float64
	Why  string
}

// pointFunction scrolls an element into view and returns the position of its center, or of the
// point at dx, dy from its upper left corner. As for a user who wants to click it, the element must
// be visible, enabled, not moving and not covered by another element.
const pointFunction = `async function(dx, dy) {
	const frame = () => new Promise(requestAnimationFrame);
	const box = () => this.getBoundingClientRect();
	this.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
	await frame();
	const before = JSON.stringify(box());
	for (let i = 0; i < 3; i++) await frame(); // cards near the screen are laid out only now
	const b = box();
	if (!this.isConnected) return {why: "it is gone"};
	if (before !== JSON.stringify(b)) return {why: "it moves"};
	if (b.width === 0 || b.height === 0 || !this.checkVisibility({visibilityProperty: true})) return {why: "it is not visible"};
	if (this.closest(":disabled, [aria-disabled=true]")) return {why: "it is disabled"};
	const x = b.x + (dx ?? b.width / 2), y = b.y + (dy ?? b.height / 2);
	const top = document.elementFromPoint(x, y);
	if (!top) return {why: "it is out of view"};
	const hits = e => this.contains(e) || e.closest("label")?.control === this;
	if (!hits(top)) return {why: "it is covered by " + top.outerHTML.slice(0, 200)};
	window.pointerClick?.end();
	const swallow = e => { e.stopImmediatePropagation(); e.preventDefault(); };
	const types = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
	let elsewhere = false;
	const listen = e => {
		if (e.type === "pointerdown") elsewhere = window.pointerClick.missed = !hits(e.target);
		if (elsewhere) swallow(e);
	};
	window.pointerClick = {missed: true, end: () => types.forEach(t => document.removeEventListener(t, listen, true))};
	types.forEach(t => document.addEventListener(t, listen, true));
	return {x, y};
}`

// missedExpression ends the watch over a click and tells whether it would have hit another element,
// because the page moved just before it. Such a click has no effect.
const missedExpression = `(() => { const c = window.pointerClick; c?.end(); return c?.missed === true; })()`

// Click waits until an element can be clicked, and clicks its center.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.click(selector, nil, nil)
}

// ClickAt clicks an element x pixels right of and y pixels below its upper left corner, for example
// a bar on a canvas.
func (p *Page) ClickAt(selector string, x, y float64) {
	p.t.Helper()
	p.click(selector, x, y)
}

func (p *Page) click(selector string, dx, dy any) {
	p.t.Helper()
	p.clicks++
	p.until("click "+selector, func(ctx context.Context, t *chromedp.Target) error {
		at, err := pointOf(ctx, t, selector, dx, dy)
		if err != nil {
			return err
		}
		if err := mouse(ctx, t, at, clickEvents); err != nil {
			return err
		}
		if raw, err := evaluate(ctx, t, missedExpression); err == nil && string(raw) == "true" {
			return errors.New("it moved away")
		}
		return nil // after an error the page is gone, so the click has arrived
	})
}

// Hover moves the pointer to the center of an element.
func (p *Page) Hover(selector string) {
	p.t.Helper()
	p.until("point at "+selector, func(ctx context.Context, t *chromedp.Target) error {
		at, err := pointOf(ctx, t, selector, nil, nil)
		if err != nil {
			return err
		}
		return mouse(ctx, t, at, clickEvents[:1])
	})
}

func pointOf(ctx context.Context, t *chromedp.Target, selector string, dx, dy any) (point, error) {
	at, err := callOn[point](ctx, t, selector, pointFunction, dx, dy)
	if err == nil && at.Why != "" {
		err = errors.New(at.Why)
	}
	return at, err
}

// clickEvents are the mouse events of a click, in order.
var clickEvents = []input.DispatchMouseEventParams{
	{Type: input.DispatchMouseEventTypeMouseMoved},
	{Type: input.DispatchMouseEventTypeMousePressed, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1},
	{Type: input.DispatchMouseEventTypeMouseReleased, Button: input.MouseButtonLeft, ClickCount: 1},
}

func mouse(ctx context.Context, t *chromedp.Target, at point, events []input.DispatchMouseEventParams) error {
	for _, e := range events {
		e.X, e.Y = at.X, at.Y
		if _, err := cdp.Call(ctx, t, input.DispatchMouseEvent, e); err != nil {
			return err
		}
	}
	return nil
}

// Drag presses the mouse button on the center of an element, moves the pointer to a point of another
// one, x pixels right of and y pixels below its upper left corner, and releases the button there.
func (p *Page) Drag(from, to string, x, y float64) {
	p.t.Helper()
	p.until("drag "+from+" to "+to, func(ctx context.Context, t *chromedp.Target) error {
		start, err := pointOf(ctx, t, from, nil, nil)
		if err != nil {
			return err
		}
		end, err := callOn[point](ctx, t, to, cornerFunction) // without scrolling
		if err != nil {
			return err
		}
		end.X, end.Y = end.X+x, end.Y+y
		moved := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, Button: input.MouseButtonLeft, Buttons: 1}
		middle := point{X: (start.X + end.X) / 2, Y: (start.Y + end.Y) / 2}
		for _, step := range []struct {
			at     point
			events []input.DispatchMouseEventParams
		}{{start, clickEvents[:2]}, {middle, []input.DispatchMouseEventParams{moved}}, {end, []input.DispatchMouseEventParams{moved, clickEvents[2]}}} {
			if err := mouse(ctx, t, step.at, step.events); err != nil {
				return err
			}
		}
		return nil
	})
}

const cornerFunction = `function() { const {x, y} = this.getBoundingClientRect(); return {x, y}; }`

// Fill clicks a field and replaces its content with text.
func (p *Page) Fill(selector, text string) {
	p.t.Helper()
	p.Click(selector)
	if p.callString(selector, selectFunction, text) == "set" {
		return
	}
	if text == "" {
		p.Press("Backspace")
		return
	}
	p.keys(text)
}

// selectFunction selects the text of a field, so that typing replaces it. It sets the value of date
// fields and the like directly, because typing into them depends on the browser's locale.
const selectFunction = `function(text) {
	if (["date", "time", "datetime-local", "month", "week", "range", "color"].includes(this.type)) {
		Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(this, text);
		this.dispatchEvent(new Event("input", {bubbles: true}));
		this.dispatchEvent(new Event("change", {bubbles: true}));
		return "set";
	}
	if (this.select) this.select(); else getSelection().selectAllChildren(this);
	return "";
}`

// Type clicks an element and types text at the cursor.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.Click(selector)
	p.keys(text)
}

// Write types text into the focused element.
func (p *Page) Write(text string) {
	p.t.Helper()
	p.keys(text)
}

func (p *Page) keys(text string, options ...chromedp.KeyOption) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.KeyEvent(text, append(options, raw)...)); err != nil {
		p.t.Fatalf("type %q: %v", text, err)
	}
}

// raw makes a key event behave like a real key: it enters no text if the page prevents its default
// action.
func raw(k *input.DispatchKeyEventParams) {
	if k.Type == input.DispatchKeyEventTypeKeyDown {
		k.Type = input.DispatchKeyEventTypeRawKeyDown
	}
}

// keyNames has the keys that [Page.Press] knows by name.
var keyNames = map[string]string{
	"Enter": kb.Enter, "Escape": kb.Escape, "Tab": kb.Tab, "Backspace": kb.Backspace, "Delete": kb.Delete, "Space": " ",
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
}

var modifiers = map[string]chromedp.Modifier{
	"Control": chromedp.ModifierCtrl, "Shift": chromedp.ModifierShift, "Alt": chromedp.ModifierAlt, "Meta": chromedp.ModifierMeta,
}

// Press presses a key in the focused element, for example "1", "Enter" or "Control+z".
func (p *Page) Press(key string) {
	p.t.Helper()
	parts := strings.Split(key, "+")
	last := parts[len(parts)-1]
	if named, ok := keyNames[last]; ok {
		last = named
	}
	var held []chromedp.Modifier
	for _, name := range parts[:len(parts)-1] {
		m, ok := modifiers[name]
		if !ok {
			p.t.Fatalf("press %s: there is no key %s to hold", key, name)
		}
		held = append(held, m)
	}
	if len([]rune(last)) != 1 {
		p.t.Fatalf("press %s: there is no such key", key)
	}
	p.keys(last, chromedp.KeyModifiers(held...))
}

// Clicks returns how often something was clicked, typed into or chosen on the page.
func (p *Page) Clicks() int { return p.clicks }

// Choose selects the option with the given text in a drop-down list.
func (p *Page) Choose(selector, option string) {
	p.t.Helper()
	p.clicks++
	p.until(fmt.Sprintf("choose %q in %s", option, selector), func(ctx context.Context, t *chromedp.Target) error {
		_, err := callOn[string](ctx, t, selector, `function(text) {
			const option = [...this.options].find(o => o.text.trim() === text && !o.disabled);
			if (!option) throw new Error("options are " + [...this.options].map(o => o.text).join(", "));
			this.focus();
			this.value = option.value;
			this.dispatchEvent(new Event("input", {bubbles: true}));
			this.dispatchEvent(new Event("change", {bubbles: true}));
			return "";
		}`, option)
		return err
	})
}
