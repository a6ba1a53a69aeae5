package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A step is one part of a selector. A selector finds elements by what users see or hear, or by CSS:
//
//	button "Sign in"                     role and full accessible name
//	link /^Morvessa/                     role and a regular expression for the name
//	[data-testid=spark]                  CSS, for elements without a name
//	dialog "Delete" >> button "Delete"   an element inside the first match of another selector
//
// Roles are ARIA roles, for example textbox for a text field.
type step struct {
	css     string
	role    string
	name    string
	pattern *regexp.Regexp
}

var (
	byName    = regexp.MustCompile(`^([a-z]+) "(.*)"$`)
	byPattern = regexp.MustCompile(`^([a-z]+) /(.*)/$`)
)

// parse parses a selector.
func parse(selector string) ([]step, error) {
	var steps []step
	for part := range strings.SplitSeq(selector, " >> ") {
		part = strings.TrimSpace(part)
		if m := byName.FindStringSubmatch(part); m != nil {
			steps = append(steps, step{role: m[1], name: m[2]})
			continue
		}
		if m := byPattern.FindStringSubmatch(part); m != nil {
			pattern, err := regexp.Compile(m[2])
			if err != nil {
				return nil, fmt.Errorf("selector %s: %w", selector, err)
			}
			steps = append(steps, step{role: m[1], pattern: pattern})
			continue
		}
		steps = append(steps, step{css: part})
	}
	return steps, nil
}

// errNotFound means that no element matches a selector.
var errNotFound = errors.New("there is none")

// locate returns the elements that match a selector, in document order, or errNotFound.
func locate(ctx context.Context, t *chromedp.Target, selector string) ([]runtime.RemoteObjectID, error) {
	steps, err := parse(selector)
	if err != nil {
		return nil, err
	}
	document, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{Expression: "document"})
	if err != nil {
		return nil, err
	}
	found := []runtime.RemoteObjectID{document.Result.ObjectID}
	for _, s := range steps {
		if found, err = s.within(ctx, t, found[0]); err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, errNotFound
		}
	}
	return found, nil
}

// within returns the elements below root that match the step.
func (s step) within(ctx context.Context, t *chromedp.Target, root runtime.RemoteObjectID) ([]runtime.RemoteObjectID, error) {
	if s.css != "" {
		return s.styled(ctx, t, root)
	}
	tree, err := cdp.Call(ctx, t, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: root, Role: s.role, AccessibleName: s.name})
	if err != nil {
		return nil, err
	}
	var found []runtime.RemoteObjectID
	for _, n := range tree.Nodes {
		if n.Ignored || s.pattern != nil && !s.pattern.MatchString(nameOf(n)) {
			continue
		}
		node, err := cdp.Call(ctx, t, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: n.BackendDOMNodeID})
		if err != nil {
			return nil, err
		}
		found = append(found, node.Object.ObjectID)
	}
	return found, nil
}

func nameOf(n *accessibility.Node) string {
	if n.Name == nil {
		return ""
	}
	var name string
	_ = json.Unmarshal(n.Name.Value, &name) // a value that is not a string counts as no name
	return name
}

// styled returns the elements below root that match the CSS selector, visible ones first.
func (s step) styled(ctx context.Context, t *chromedp.Target, root runtime.RemoteObjectID) ([]runtime.RemoteObjectID, error) {
	list, err := invoke(ctx, t, root, false, `function(css) {
		const all = [...this.querySelectorAll(css)];
		const seen = e => e.checkVisibility({visibilityProperty: true});
		return [...all.filter(seen), ...all.filter(e => !seen(e))];
	}`, s.css)
	if err != nil {
		return nil, err
	}
	yes := true
	items, err := cdp.Call(ctx, t, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: list.ObjectID, OwnProperties: &yes})
	if err != nil {
		return nil, err
	}
	var found []runtime.RemoteObjectID
	for _, item := range items.Result {
		if _, err := strconv.Atoi(item.Name); err == nil {
			found = append(found, item.Value.ObjectID)
		}
	}
	return found, nil
}

// callOn calls a JavaScript function on the first element that matches a selector.
func callOn[T any](ctx context.Context, t *chromedp.Target, selector, function string, args ...any) (T, error) {
	var result T
	found, err := locate(ctx, t, selector)
	if err != nil {
		return result, err
	}
	return call[T](ctx, t, found[0], function, args...)
}

// call calls a JavaScript function with an object as this. It returns the result of the function,
// or of the promise that the function returns.
func call[T any](ctx context.Context, t *chromedp.Target, object runtime.RemoteObjectID, function string, args ...any) (T, error) {
	var result T
	got, err := invoke(ctx, t, object, true, function, args...)
	if err == nil && len(got.Value) > 0 {
		err = json.Unmarshal(got.Value, &result)
	}
	return result, err
}

func invoke(ctx context.Context, t *chromedp.Target, object runtime.RemoteObjectID, byValue bool, function string, args ...any) (*runtime.RemoteObject, error) {
	yes := true
	params := runtime.CallFunctionOnParams{ObjectID: object, FunctionDeclaration: function, ReturnByValue: &byValue, AwaitPromise: &yes}
	for _, a := range args {
		raw, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: raw})
	}
	got, err := cdp.Call(ctx, t, runtime.CallFunctionOn, params)
	if err != nil {
		return nil, err
	}
	if got.ExceptionDetails != nil {
		return nil, errors.New(exceptionText(got.ExceptionDetails))
	}
	return got.Result, nil
}
