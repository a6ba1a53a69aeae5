package delivery

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"earshot"
)

func TestTemplate(t *testing.T) {
	f := func(template, want string) {
		t.Helper()
		got, err := renderTemplate(template, exampleData("Alerts"))
		if err != nil || got != want {
			t.Errorf("%s: got %q %v, want %q", template, got, err, want)
		}
	}
	f("", "")
	f("plain", "plain")
	f("{{.Severity | upper}}: {{.Title}} ({{.Channel}})", "WARNING: Coffee: 3.2 times as many posts as expected (Alerts)")
	f(`{{range .Facts}}{{.Name}}={{.Value}} {{end}}`, "Posts=96 Expected=30")
	f(`{{range $i, $f := .Facts}}{{if $i}}, {{end}}{{$f.Name}}{{end}}`, "Posts, Expected")
	f(`{{range .Posts}}{{.Author}} at {{date .Time}}: {{clip 11 .Text}}{{else}}none{{end}}`, "ann at 2026-03-15 12:00 UTC: The machine…")
	f(`{{if eq .Severity "critical"}}now{{else}}later{{end}}`, "later")
	f(`{{if eq .Severity "info" "warning"}}{{if ne (len .Facts) 3}}{{if eq true true}}yes{{end}}{{end}}{{end}}`, "yes")
	f(`{{range $i, $f := .Facts}}{{if eq $i 1}}{{$f.Name}}{{end}}{{end}}`, "Expected")
	f(`{{with .Link}}see {{.}}{{end}}{{/* comment */}}`, "see https://earshot.example/signals/7")
	f(`{{range .Posts}}{{range $.Facts}}{{.Name}} {{end}}{{end}}`, "Posts Expected")

	unknown := templateData{Posts: []templatePost{{Author: "ann"}}}
	if got, err := renderTemplate(`{{range .Posts}}{{.Author}}{{with date .Time}} at {{.}}{{end}}.{{end}}`, unknown); got != "ann." || err != nil {
		t.Errorf("an unknown time: got %q %v, want none", got, err)
	}
}

// A template can use neither unlimited time nor memory, and cannot call out.
func TestTemplateIsSafe(t *testing.T) {
	f := func(template, want string) {
		t.Helper()
		if _, err := renderTemplate(template, exampleData("Alerts")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", template, err, want)
		}
	}
	f(`{{.Password}}`, "can't evaluate field")
	f(`{{.Title`, "unclosed action")
	f(`{{range 1000000000}}{{end}}`, "range is supported for")
	f(`{{range $i := 1000000000}}{{end}}`, "range is supported for")
	f(`{{range .Title}}{{end}}`, "range is supported for")
	f(`{{range .Posts}}{{range $.Posts}}{{range $.Facts}}x{{end}}{{end}}{{end}}`, "at most 2 loops")
	f(`{{printf "%1000000d" 1}}`, "the function printf is not supported")
	f(`{{if (printf "%1000000d" 1)}}{{end}}`, "the function printf is not supported")
	f(`{{call .Title}}`, "the function call is not supported")
	f(`{{html .Title}}`, "the function html is not supported")
	f(`{{index .Facts 1000000}}`, "the function index is not supported")
	f(`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`, "not supported")
	f(`{{block "a" .}}{{end}}`, "not supported")
	f(`{{(index .Facts 0).Name}}`, "the function index is not supported")
	f(`{{range .Posts}}`+strings.Repeat("x", maxRendered)+`{{.Text}}{{end}}`, "more than 20000 bytes")
	f(`{{range .Facts}}{{break}}{{end}}`, "not supported")
}

// The work of a template is bounded, also if it has no output.
func TestTemplateWork(t *testing.T) {
	data := longExample("Alerts")
	data.Text = strings.Repeat("x", maxText)
	f := func(name, template, want string) {
		t.Helper()
		if len(template) > maxTemplate {
			t.Fatalf("%s: the template has %d characters", name, len(template))
		}
		began := time.Now()
		_, err := renderTemplate(template, data)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
	const twice, end = "{{range .Facts}}{{range $.Facts}}", "{{end}}{{end}}"
	f("functions", twice+"{{$x := $.Text"+strings.Repeat("|upper|lower", 10)+"}}"+end, "the template does too much")
	f("functions without loops", "{{$x := .Text"+strings.Repeat("|upper|lower", 300)+"}}", "the template does too much")
	f("clip", twice+"{{$x := clip 1 $.Text}}"+end, "the template does too much")
	f("short texts", twice+strings.Repeat("{{$x := upper $.Event}}", 60)+end, "the template does too much")
	f("dates", "{{range .Posts}}{{$t := .Time}}{{range $.Posts}}"+strings.Repeat("{{$x := date $t}}", 100)+end, "the template does too much")
	f("comparisons", "{{$a := upper .Text}}{{$b := upper .Text}}{{$c := lower .Text}}{{if eq $c"+strings.Repeat(" $b", 1000)+"}}{{end}}", "the template does too much")
	f("parts", twice+"{{if and"+strings.Repeat(" .", 1000)+"}}{{end}}"+end, "the template does too much")
	f("lists", "{{if eq .Facts .Facts}}{{end}}", "compare texts, numbers and truth values")
	f("types", "{{if eq .Title 1}}{{end}}", "values of the same type")

	data.Facts = make([]earshot.Fact, 1000)
	if got, err := renderTemplate("{{range .Facts}}x{{end}}", data); err != nil || len(got) != maxFacts {
		t.Errorf("got %d facts and %v, want %d", len(got), err, maxFacts)
	}
}

// A template is checked with a long message before it is saved, and the one in the documentation is fine.
func TestExampleChecksLimits(t *testing.T) {
	f := func(name, template, want string) {
		t.Helper()
		_, err := Example(earshot.SlackChannel, name, template)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", template, err, want)
		}
	}
	f("Alerts", `{{.Severity | upper}}: {{.Text}}
{{range .Facts}}{{.Name}}: {{.Value}}
{{end}}{{range .Posts}}{{.Author}} ({{date .Time}}): {{clip 100 .Text}}
{{end}}{{.Link}}`, "")
	f("", "{{.Channel}}", "")
	f(strings.Repeat("x", maxName+1), "{{.Channel}}", "name must have")
	f("Alerts", "{{range .Facts}}{{$.Text}}{{end}}", "fails for a long message: the text has more than")
	f("Alerts", "{{range .Facts}}{{range $.Facts}}{{$x := upper $.Text | lower}}{{end}}{{end}}", "fails for a long message")
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"{{.Title}}", "{{range .Posts}}{{.Text}}{{end}}", "{{if .Link}}x{{else}}y{{end}}", "{{clip 3 .Text | upper}}", "{{$x := .Title}}{{$x}}", "{{range 9}}{{end}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, template string) {
		if len(template) > maxTemplate {
			return
		}
		text, err := renderTemplate(template, exampleData("Alerts"))
		if err == nil && (len(text) > maxRendered || utf8.ValidString(template) && !utf8.ValidString(text)) {
			t.Errorf("got %q", text)
		}
	})
}
