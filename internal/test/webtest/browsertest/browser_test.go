package browsertest

import (
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"earshot/internal/test/testenv"
)

// launched starts the browser that all tests share when the first test needs it. running is that
// browser, or nil before.
var (
	launched = sync.OnceValues(func() (*Browser, error) {
		b, err := Launch()
		running.Store(b)
		return b, err
	})
	running atomic.Pointer[Browser]
)

func TestMain(m *testing.M) {
	code := m.Run()
	if b := running.Load(); b != nil {
		b.Close()
	}
	os.Exit(code)
}

// open opens a page with the given HTML on a test server.
func open(t testing.TB, html string) *Page {
	t.Helper()
	testenv.SkipUnderRace(t)
	b, err := launched()
	if errors.Is(err, ErrNoBrowser) && !Required() {
		testenv.SkipMissing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "img-src 'self'")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Test</title><body>%s`, html)
	})
	mux.HandleFunc("GET /favicon.ico", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=a.csv")
		fmt.Fprint(w, "a,b\n1,2\n")
	})
	mux.HandleFunc("POST "+sessionPath, func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: "secret", Path: "/", HttpOnly: true})
	})
	mux.HandleFunc("GET /who", func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Cookie(sessionCookie)
		fmt.Fprint(w, c)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	p := b.Open(t, Options{Site: site.URL})
	p.Visit("/")
	return p
}

// A fakeT records failures instead of failing the test.
type fakeT struct {
	testing.TB
	failures []string
	last     []func()
}

func (w *fakeT) Cleanup(f func())          { w.last = append(w.last, f) }
func (w *fakeT) Failed() bool              { return false }
func (w *fakeT) Error(args ...any)         { w.failures = append(w.failures, fmt.Sprint(args...)) }
func (w *fakeT) Errorf(f string, a ...any) { w.failures = append(w.failures, fmt.Sprintf(f, a...)) }
func (w *fakeT) end() {
	for _, f := range slices.Backward(w.last) {
		f()
	}
}

func TestPageProblemsFailTheTest(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"no problems", `<button>Yes</button>`, ""},
		{"console error", `<script>console.error("no", 7)</script>`, `console error: "no" 7`},
		{"exception", `<script>throw new Error("no")</script>`, "exception: Error: no"},
		{"unhandled rejection", `<script>Promise.reject(new Error("no"))</script>`, "exception: Error: no"},
		{"policy violation", `<img alt="" src="data:image/png;base64,AAAA">`, "browser error (security): "},
		{"other host", `<script>fetch("http://example.com/").catch(() => 0)</script>`, "request to another host: http://example.com/"},
		{"missing file", `<script src="/missing.js"></script>`, "/missing.js answered 404"},
		{"dialog", `<script>alert("hacked")</script>`, "the page opened a dialog (alert): hacked"},
		{"warnings are allowed", `<script>console.warn("well")</script>`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &fakeT{TB: t}
			p := open(w, tt.html)
			p.WaitUntil("document.readyState === 'complete'")
			w.end()
			got := strings.Join(w.failures, "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestExpectedErrorResponse(t *testing.T) {
	p := open(t, `<p>Ready</p>`)
	p.Expect(404, "/missing")
	var status int
	p.Eval(`fetch("/missing/one").then(r => r.status)`, &status)
	if status != 404 {
		t.Errorf("got %d", status)
	}
}

func TestSelectors(t *testing.T) {
	p := open(t, `
		<button hidden>Save</button><button aria-label="Save">Disk</button>
		<label>Name <input></label>
		<section aria-label="First"><button>Open</button></section>
		<section aria-label="Second"><button>Open it</button><i class="x">one</i><i class="x">two</i></section>
		<a href="#m">Morvessa 1,234</a>`)
	f := func(selector, want string) {
		t.Helper()
		if got := p.Text(selector); got != want {
			t.Errorf("%s: got %q, want %q", selector, got, want)
		}
	}
	f(`button "Save"`, "Disk")
	f(`link /^Morvessa/`, "Morvessa 1,234")
	f(`region "Second" >> button /^Open/`, "Open it")
	f(`region "Second" >> .x`, "one")
	if got := p.Texts(".x"); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("got %q", got)
	}
	if got := p.Count(`button "Delete"`); got != 0 {
		t.Errorf("got %d buttons, want none", got)
	}
	p.Fill(`textbox "Name"`, "Ann")
	if got := p.Value(`textbox "Name"`); got != "Ann" {
		t.Errorf("got %q", got)
	}
}

func TestInput(t *testing.T) {
	p := open(t, `
		<label>Day <input type="date"></label>
		<label>Text <textarea>old</textarea></label>
		<label>Kind <select><option value="1">One</option><option value="2">Two</option></select></label>
		<button disabled>Late</button><output></output>
		<script>
		const say = s => document.querySelector("output").textContent += s + ";"
		for (const e of document.querySelectorAll("input, select")) e.addEventListener("change", () => say(e.value))
		addEventListener("keydown", e => e.ctrlKey && say("ctrl " + e.key))
		addEventListener("keydown", e => e.key === "x" && e.preventDefault())
		addEventListener("keypress", e => e.key === "x" && say("x was prevented"))
		const late = document.querySelector("button")
		late.onclick = () => say("clicked")
		setTimeout(() => late.disabled = false, 100)
		</script>`)
	p.Fill(`[type=date]`, "2026-03-04")
	p.Fill(`textbox "Text"`, "new ")
	p.keys("words")
	p.Press("Enter")
	p.Press("x")
	p.Press("Control+b")
	p.Choose(`combobox "Kind"`, "Two")
	p.Click(`button "Late"`)
	p.WaitText("output", "2026-03-04;ctrl b;2;clicked;")
	if got := p.Value("textarea"); got != "new words\n" {
		t.Errorf("got %q", got)
	}
}

func TestDownloadAndUpload(t *testing.T) {
	p := open(t, `
		<a href="/file">Get</a><label>Put <input type="file"></label><div style="height: 50px">Drop here</div><output></output>
		<script>
		const say = s => document.querySelector("output").textContent += s + ";"
		document.querySelector("input").onchange = async e => say(await e.target.files[0].text())
		const zone = document.querySelector("div")
		zone.ondragover = e => e.preventDefault()
		zone.ondrop = async e => { e.preventDefault(); say("dropped " + e.dataTransfer.files[0].name) }
		</script>`)
	got := p.Download(func() { p.Click(`link "Get"`) })
	if got.Name != "a.csv" || string(got.Data) != "a,b\n1,2\n" {
		t.Errorf("got %s %q", got.Name, got.Data)
	}
	file := filepath.Join(t.TempDir(), "posts.csv")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.SetFiles("input", file)
	p.WaitText("output", "hello;")
	p.Drop("div", file)
	p.WaitText("output", "hello;dropped posts.csv;")
}

func TestSignInSetsTheCookie(t *testing.T) {
	p := open(t, "")
	p.SignIn("ann", "secret")
	p.Visit("/who")
	if got := p.Text("body"); got != "earshot_session=secret" {
		t.Errorf("got %q", got)
	}
}

func TestAxeReportsViolations(t *testing.T) {
	if _, err := axe(); err != nil && !Required() {
		testenv.SkipMissing(t, err)
	}
	w := &fakeT{TB: t}
	p := open(w, `<main><h1>Test</h1><button id="nameless"></button></main>`)
	p.Axe()
	w.end()
	if got := strings.Join(w.failures, "\n"); !strings.Contains(got, "critical: Buttons must have discernible text (button-name)") || !strings.Contains(got, "#nameless") {
		t.Errorf("got %q", got)
	}
	open(t, `<main><h1>Test</h1><button>Named</button></main>`).Axe()
}

func TestScreenshotSize(t *testing.T) {
	p := open(t, `<div style="height: 3000px">Long</div>`)
	f := func(shoot func(string), wide, high int) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "new", "shot.png")
		shoot(file)
		if w, h := size(t, file); w != wide || h < high {
			t.Errorf("got %d × %d, want %d × %d or higher", w, h, wide, high)
		}
	}
	f(p.Screenshot, 1280, 800)
	f(p.ScreenshotAll, 1280, 3000)
}

func size(t *testing.T, file string) (width, height int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := png.DecodeConfig(f)
	if err != nil {
		t.Fatal(err)
	}
	return c.Width, c.Height
}
