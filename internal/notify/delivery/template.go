package delivery

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
	"time"
	"unicode/utf8"

	"earshot"
)

// Limits of a template.
const (
	maxTemplate = 4_000     // characters
	maxRendered = 20_000    // bytes of its output
	maxRanges   = 2         // loops within each other
	maxSteps    = 50_000    // parts that are executed, if all lists are as long as possible
	maxWork     = 1_000_000 // bytes that its functions process
	callWork    = 50        // what each call of a function counts, besides its bytes
)

// templateData is the data of a template. It has no methods, and its lists are short.
type templateData struct {
	Event    string // signal.fired, signal.updated, signal.resolved, report.ready, channel.test or channel.summary
	Severity string // info, warning or critical
	Title    string
	Text     string
	Link     string // page of the web app
	Channel  string // name of the channel
	Facts    []earshot.Fact
	Posts    []templatePost
}

type templatePost struct {
	Author, Text, Source, URL string
	Time                      time.Time
}

// templateFunctions lists all functions of the language that can use much time. Others that package
// template has can use unlimited time or memory.
var templateFunctions = new(work).functions()

// allowedBuiltins are the functions of package template that are harmless.
var allowedBuiltins = map[string]bool{"and": true, "or": true, "not": true, "len": true}

// work counts what the functions of one rendering process.
type work struct{ done int }

func (w *work) functions() template.FuncMap {
	return template.FuncMap{
		"upper": func(s string) (string, error) { return strings.ToUpper(s), w.add(len(s)) },
		"lower": func(s string) (string, error) { return strings.ToLower(s), w.add(len(s)) },
		"clip":  func(n int, s string) (string, error) { return earshot.Clip(s, max(0, n)), w.add(len(s)) },
		"date":  func(t time.Time) (string, error) { return formatDate(t), w.add(0) },
		"eq":    w.equal,
		"ne": func(a, b any) (bool, error) {
			same, err := w.equal(a, b)
			return !same, err
		},
	}
}

// formatDate returns a time as text, or "" if it is unknown.
func formatDate(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// add counts one call of a function.
func (w *work) add(bytes int) error {
	if w.done += callWork + bytes; w.done > maxWork {
		return errors.New("the template does too much")
	}
	return nil
}

// equal reports whether a value equals one of the others.
func (w *work) equal(value any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, errors.New("eq needs two values")
	}
	for _, other := range others {
		bytes := 0
		switch v := value.(type) {
		case string:
			bytes = len(v)
		case int, bool:
		default:
			return false, errors.New("eq and ne compare texts, numbers and truth values")
		}
		if err := w.add(bytes); err != nil {
			return false, err
		}
		if reflect.TypeOf(value) != reflect.TypeOf(other) {
			return false, errors.New("eq and ne compare values of the same type")
		}
		if value == other {
			return true, nil
		}
	}
	return false, nil
}

func checkTemplate(ch *earshot.Channel) error {
	if ch.Template == "" {
		return nil
	}
	_, err := Example(ch.Kind, ch.Name, ch.Template)
	return err
}

// Example returns the text of a template for an example. The kind and name are those of the
// channel.
func Example(kind earshot.ChannelKind, name, text string) (string, error) {
	if kind == earshot.WebhookChannel {
		return "", earshot.InvalidBody("a webhook sends data and has no template")
	}
	if n := utf8.RuneCountInString(text); n > maxTemplate {
		return "", earshot.InvalidBody("template must have up to %d characters", maxTemplate)
	}
	if err := earshot.CheckText("name", name, 0, maxName); err != nil {
		return "", err
	}
	example, err := renderTemplate(text, exampleData(name))
	if err != nil {
		return "", earshot.InvalidBody("template: %s", earshot.Clip(explainTemplate(err), 300))
	}
	if _, err := renderTemplate(text, longExample(name)); err != nil {
		return "", earshot.InvalidBody("template fails for a long message: %s", earshot.Clip(explainTemplate(err), 300))
	}
	return example, nil
}

// explainTemplate removes what only programmers understand from an error of package template.
func explainTemplate(err error) string {
	text := strings.TrimPrefix(err.Error(), "template: ")
	return strings.ReplaceAll(text, "delivery.templateData", "the message")
}

// renderTemplate returns the output of a template. Time and memory are bounded: a template consists of
// text, values, conditions, and loops over the lists of data, and what its functions process is counted.
func renderTemplate(text string, data templateData) (string, error) {
	t, err := template.New("template").Option("missingkey=error").Funcs(new(work).functions()).Parse(text)
	if err != nil {
		return "", err
	}
	if len(t.Templates()) > 1 {
		return "", errors.New("define, template and block are not supported")
	}
	if t.Tree == nil || t.Root == nil {
		return "", nil
	}
	if err := new(templateCheck).check(t.Root, 0); err != nil {
		return "", err
	}
	data.Facts, data.Posts = data.Facts[:min(len(data.Facts), maxFacts)], data.Posts[:min(len(data.Posts), maxPosts)]
	out := &boundedWriter{left: maxRendered}
	if err := t.Execute(out, data); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// A templateCheck checks the parts of a template.
type templateCheck struct{ steps int }

// check returns an error if a part of a template, which is within a number of loops, is not in the
// language or would be executed too often.
func (c *templateCheck) check(n parse.Node, ranges int) error {
	times := 1
	for range ranges {
		times *= max(maxFacts, maxPosts)
	}
	if c.steps += times; c.steps > maxSteps {
		return errors.New("the template does too much; shorten what is within loops")
	}
	var parts []parse.Node
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		parts = n.Nodes
	case *parse.TextNode, *parse.FieldNode, *parse.VariableNode, *parse.DotNode, *parse.NilNode, *parse.BoolNode, *parse.NumberNode, *parse.StringNode, *parse.CommentNode:
	case *parse.IdentifierNode:
		if templateFunctions[n.Ident] == nil && !allowedBuiltins[n.Ident] {
			return fmt.Errorf("the function %s is not supported", n.Ident)
		}
	case *parse.ActionNode:
		parts = []parse.Node{n.Pipe}
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			parts = append(parts, c)
		}
	case *parse.CommandNode:
		parts = n.Args
	case *parse.ChainNode:
		parts = []parse.Node{n.Node}
	case *parse.IfNode:
		parts = []parse.Node{n.Pipe, n.List, n.ElseList}
	case *parse.WithNode:
		parts = []parse.Node{n.Pipe, n.List, n.ElseList}
	case *parse.RangeNode:
		if !isList(n.Pipe) {
			return errors.New("range is supported for .Facts and .Posts only")
		}
		if ranges++; ranges > maxRanges {
			return fmt.Errorf("at most %d loops may be within each other", maxRanges)
		}
		parts = []parse.Node{n.List, n.ElseList}
	default:
		return fmt.Errorf("%s is not supported", earshot.Clip(n.String(), 50))
	}
	for _, part := range parts {
		if err := c.check(part, ranges); err != nil {
			return err
		}
	}
	return nil
}

// isList reports whether a pipeline is .Facts or .Posts, also of the variable $.
func isList(p *parse.PipeNode) bool {
	if len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	var names []string
	switch of := p.Cmds[0].Args[0].(type) {
	case *parse.FieldNode:
		names = of.Ident
	case *parse.VariableNode:
		if of.Ident[0] == "$" {
			names = of.Ident[1:]
		}
	}
	return len(names) == 1 && (names[0] == "Facts" || names[0] == "Posts")
}

// A boundedWriter fails when it has too much text.
type boundedWriter struct {
	strings.Builder
	left int
}

func (w *boundedWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, fmt.Errorf("the text has more than %d bytes", maxRendered)
	}
	return w.Builder.Write(p)
}

// exampleData is the data for checking a new template.
func exampleData(channel string) templateData {
	return templateData{
		Event: "signal.fired", Severity: string(earshot.Warning), Title: "Coffee: 3.2 times as many posts as expected",
		Text: "96 posts within an hour instead of 22 to 38.", Link: "https://earshot.example/signals/7", Channel: channel,
		Facts: []earshot.Fact{{Name: "Posts", Value: "96"}, {Name: "Expected", Value: "30"}},
		Posts: []templatePost{{Author: "ann", Text: "The machine is on fire", Source: "Twitter", URL: "https://example.com/1", Time: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)}},
	}
}

// longExample has all that a message can have, with long texts.
func longExample(channel string) templateData {
	data := exampleData(channel)
	data.Title, data.Text = strings.Repeat("Long title ", maxTitle/11), strings.Repeat("Long text ", 200)
	data.Facts, data.Posts = nil, nil
	for range maxFacts {
		data.Facts = append(data.Facts, earshot.Fact{Name: strings.Repeat("Name ", 10), Value: strings.Repeat("Value ", 10)})
	}
	post := exampleData(channel).Posts[0]
	post.Text = strings.Repeat("Long post ", 50)
	for range maxPosts {
		data.Posts = append(data.Posts, post)
	}
	return data
}
