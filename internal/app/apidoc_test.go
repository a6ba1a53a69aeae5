package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/demo"
)

// TestTheExamplesAreTrue runs the calls of docs/api.md against the demonstration, in their
// order, and compares the answers. Long ones are cut: of a list the first two elements are
// shown, of an object of counts the first four.
//
// go test -update rewrites the answers; read the difference.
func TestTheExamplesAreTrue(t *testing.T) {
	const file = "../../docs/api.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := openDemonstration(t)
	shown := map[string]string{}
	called := 0
	rewritten := example.ReplaceAllStringFunc(string(text), func(block string) string {
		called++
		parts := example.FindStringSubmatch(block)
		answer := shortened(t, call(t, a, parts[1], shown))
		if !*update && answer != parts[2] {
			t.Errorf("%s\ngot\n%s\nwant\n%s", parts[1], answer, parts[2])
		}
		return "```\n" + parts[1] + answer + "```\n"
	})
	if called < 40 {
		t.Errorf("there are %d examples, want one for each endpoint", called)
	}
	if *update {
		if err := os.WriteFile(file, []byte(rewritten), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// An example is a call, perhaps on several lines, and its answer.
var example = regexp.MustCompile("(?m)^```\n((?:\\$ curl .*\n)(?:    .*\n)*)((?s:.*?))```\n")

// openDemonstration returns the app that the examples are about.
func openDemonstration(t *testing.T) *app.App {
	end := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
	cfg := config.New()
	cfg.Data, cfg.RateLimit = t.TempDir(), 0
	a := openApp(t, cfg, app.Options{NoFirstUser: true, Now: func() time.Time { return end.Add(-time.Hour) }})
	g := demo.Generator{Seed: 1, Days: 30, End: end, PerDay: 600}
	if _, err := g.Load(t.Context(), demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Journal: a.Journal}); err != nil {
		t.Fatal(err)
	}
	if err := a.Caught(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

var (
	curlAddress = regexp.MustCompile(`"\$EARSHOT(/[^"]*)"`)
	curlMethod  = regexp.MustCompile(`-X (\w+)`)
	curlBody    = regexp.MustCompile(`-d '([^']*)'`)
	secret      = regexp.MustCompile(`"auth":"([^"]*)"`)
)

// call does what curl would do. The token of the first answer is $TOKEN in what follows.
func call(t *testing.T, a *app.App, command string, shown map[string]string) []byte {
	t.Helper()
	if err := a.Caught(t.Context()); err != nil {
		t.Fatal(err)
	}
	address := curlAddress.FindStringSubmatch(command)
	if address == nil {
		t.Fatalf("no address in %s", command)
	}
	method, body := "GET", ""
	if given := curlBody.FindStringSubmatch(command); given != nil {
		method, body = "POST", given[1]
	}
	if given := curlMethod.FindStringSubmatch(command); given != nil {
		method = given[1]
	}
	r := httptest.NewRequest(method, strings.ReplaceAll(address[1], "$TOKEN", shown["token"]), strings.NewReader(body))
	recorder := httptest.NewRecorder()
	a.Handler().ServeHTTP(recorder, r)
	answer := recorder.Body.Bytes()
	if token := secret.FindSubmatch(answer); token != nil {
		shown["token"] = string(token[1])
		answer = bytes.ReplaceAll(answer, token[1], []byte("AWUA…"))
	}
	return answer
}

// shortened lays an answer out and cuts what is long.
func shortened(t *testing.T, answer []byte) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	v, err := readOrdered(d)
	if err != nil {
		t.Fatalf("%v in %.200s", err, answer)
	}
	return layOut(v, "") + "\n"
}

// An object is a JSON object whose keys have an order.
type object struct {
	keys   []string
	values []any
}

func readOrdered(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := readOrdered(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		o := &object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := readOrdered(d)
			if err != nil {
				return nil, err
			}
			o.keys, o.values = append(o.keys, key.(string)), append(o.values, v)
		}
		_, err = d.Token()
		return o, err
	}
	return token, nil
}

const lineLength = 120

// layOut prints a value on one line if it fits, else with an element on each line.
func layOut(v any, indent string) string {
	line := onOneLine(v)
	if len(indent)+len(line) <= lineLength {
		return line
	}
	var parts []string
	open, shut := "{", "}"
	inner := indent + "  "
	switch v := v.(type) {
	case []any:
		open, shut = "[", "]"
		for i, e := range v {
			if i == mostElements {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, layOut(e, inner))
		}
	case *object:
		for i, key := range v.keys {
			if v.counts() && i == mostCounts {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, fmt.Sprintf("%q: %s", key, layOut(v.values[i], inner)))
		}
	default:
		return line
	}
	return open + "\n" + inner + strings.Join(parts, ",\n"+inner) + "\n" + indent + shut
}

const (
	mostElements = 2
	mostCounts   = 4
)

// counts reports whether all values are numbers, and there are many.
func (o *object) counts() bool {
	for _, v := range o.values {
		if _, ok := v.(json.Number); !ok {
			return false
		}
	}
	return len(o.values) > 7
}

func onOneLine(v any) string {
	switch v := v.(type) {
	case []any:
		var parts []string
		for i, e := range v {
			if i == mostElements && len(v) > mostElements+1 {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, onOneLine(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *object:
		var parts []string
		for i, key := range v.keys {
			if v.counts() && i == mostCounts {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, fmt.Sprintf("%q: %s", key, onOneLine(v.values[i])))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case string:
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(v) // a string always encodes
		return strings.TrimSpace(b.String())
	}
	return fmt.Sprint(v)
}
