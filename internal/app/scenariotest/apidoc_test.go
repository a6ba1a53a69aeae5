package scenariotest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/demo"
	"earshot/internal/test/testenv"
)

// TestAPIExamples runs the API calls in the documents against the demo, in order, and compares the
// responses. Long responses are shortened: lists to two elements, objects of counts to four.
//
// go test -update rewrites the responses; review the diff.
func TestAPIExamples(t *testing.T) {
	testenv.SkipUnderRace(t)
	for file, least := range map[string]int{"api.md": 40, "streams.md": 8, "analysis.md": 3} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			checkExamples(t, "../../../docs/"+file, least)
		})
	}
}

func checkExamples(t *testing.T, file string, least int) {
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
	if called < least {
		t.Errorf("there are %d examples, want %d at least", called, least)
	}
	if *update {
		if err := os.WriteFile(file, []byte(rewritten), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// An example is a call, which may span several lines, and its response.
var example = regexp.MustCompile("(?m)^```\n((?:\\$ curl .*\n)(?:    .*\n)*)((?s:.*?))```\n")

// openDemonstration returns an app with the demo's data.
func openDemonstration(t *testing.T) *app.App {
	end := time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC)
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.RestrictedSources = t.TempDir(), 0, nil
	a := openApp(t, cfg, app.Options{NoFirstUser: true, Now: func() time.Time { return end.Add(-time.Hour) }})
	g := demo.Generator{Seed: 1, Days: 30, End: end, PerDay: 600}
	if _, err := g.Load(t.Context(), demo.World{Accounts: a.Accounts, Monitors: a.Monitors, Content: a.Content, Training: a.Training, Streams: a.Streams, Journal: a.Journal}); err != nil {
		t.Fatal(err)
	}
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

var (
	curlAddress = regexp.MustCompile(`"\$EARSHOT(/[^"]*)"`)
	curlMethod  = regexp.MustCompile(`-X (\w+)`)
	curlBody    = regexp.MustCompile(`-d '([^']*)'`)
	secret      = regexp.MustCompile(`"auth":"([^"]*)"`)
	madeStream  = regexp.MustCompile(`^{"stream":{"id":(\d+)`)
	madeResult  = regexp.MustCompile(`"resultId":(\d+)`)
)

// call does what curl would do. In later calls $TOKEN is the token of the first response, $CURSOR
// the last cursor of a stream, $STREAM the last created stream, and $RESULT the last result.
func call(t *testing.T, a *app.App, command string, shown map[string]string) []byte {
	t.Helper()
	if err := a.CatchUp(t.Context()); err != nil {
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
	for name, value := range shown {
		address[1] = strings.ReplaceAll(address[1], "$"+name, value)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, address[1], strings.NewReader(body))
	r.Host = "127.0.0.1:8080"
	w := &firstWriter{ResponseRecorder: httptest.NewRecorder(), enough: cancel}
	a.Handler().ServeHTTP(w, r)
	answer := w.Body.Bytes()
	if place := w.Header().Get("X-Stream-Cursor"); place != "" {
		shown["CURSOR"] = place
	}
	for name, pattern := range map[string]*regexp.Regexp{"STREAM": madeStream, "RESULT": madeResult} {
		if id := pattern.FindSubmatch(answer); id != nil {
			shown[name] = string(id[1])
		}
	}
	if token := secret.FindSubmatch(answer); token != nil {
		shown["TOKEN"] = string(token[1])
		answer = bytes.ReplaceAll(answer, token[1], []byte("AWUA…"))
	}
	return answer
}

// firstWriter ends a request for events after the first event.
type firstWriter struct {
	*httptest.ResponseRecorder
	enough func()
}

func (w *firstWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseRecorder.Write(p)
	if bytes.HasPrefix(p, []byte("id: ")) {
		w.enough()
		return n, context.Canceled
	}
	return n, err
}

// longestData is the maximum number of characters shown of an event.
const longestData = 100

// shortened formats a response and shortens long parts.
func shortened(t *testing.T, answer []byte) string {
	t.Helper()
	if _, event, ok := strings.Cut(string(answer), "id: "); ok {
		head, data, _ := strings.Cut(event, "data: ")
		return "id: " + head + "data: " + earshot.Clip(data, longestData) + "\n"
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	v, err := readOrdered(d)
	if err != nil {
		t.Fatalf("%v in %.200s", err, answer)
	}
	return layOut(v, "") + "\n"
}

// An object is a JSON object with ordered keys.
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

// layOut prints a value on one line if it fits, otherwise one element per line.
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

// counts reports whether the object has many values and all are numbers.
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
		_ = enc.Encode(v) // encoding a string cannot fail
		return strings.TrimSpace(b.String())
	}
	return fmt.Sprint(v)
}
