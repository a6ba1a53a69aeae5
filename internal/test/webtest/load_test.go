package webtest

import (
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// maxFirstLoad is how many bytes, compressed, a browser may load to show a page for the first time,
// including the answers of the server.
const maxFirstLoad = 400_000

// maxSharedLoad is the same for visitors of a share link. Most of it draws charts.
const maxSharedLoad = 340_000

// TestSharedFirstLoad makes sure that visitors load nothing of the app that they cannot use.
func TestSharedFirstLoad(t *testing.T) {
	t.Parallel()
	w := env(t)
	var link struct{ Path string }
	w.client(t).send("POST", "/manage/v1/shares", fields{"monitor": w.monitors[demo.Brand].ID, "cards": []string{"figures"}}, &link)
	p := w.open(t, browsertest.Options{Width: 390, Height: 844})
	p.Visit(link.Path)
	p.WaitFor(`.figure[data-value]`)
	var bytes int
	p.Eval(`performance.getEntries().reduce((n, e) => n + (e.encodedBodySize ?? 0), 0)`, &bytes)
	t.Logf("%d bytes", bytes)
	if bytes > maxSharedLoad || bytes < 20_000 {
		t.Errorf("the page of a visitor loads %d bytes, want at most %d", bytes, maxSharedLoad)
	}
	var loaded []string
	p.Eval(`performance.getEntriesByType("resource").map(e => e.name).filter(n => /queryeditor|layout|commands|signin|sharedialog/.test(n))`, &loaded)
	if len(loaded) > 0 {
		t.Errorf("the page loads %q", loaded)
	}
}

// TestFirstLoad adds up what the overview loads, which is more than any other page.
func TestFirstLoad(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.openPage(t, appPages[2], browsertest.Options{Width: 1440, Height: 900})
	p.WaitFor(`region "Locations" >> canvas`) // the map comes last
	var bytes, files int
	p.Eval(`performance.getEntries().reduce((n, e) => n + (e.encodedBodySize ?? 0), 0)`, &bytes)
	p.Eval(`performance.getEntriesByType("resource").length`, &files)
	t.Logf("%d bytes in %d files", bytes, files)
	if bytes > maxFirstLoad || files < 5 {
		t.Errorf("the overview loads %d bytes in %d files, want at most %d bytes", bytes, files, maxFirstLoad)
	}
}
