package webtest

import (
	"testing"

	"earshot/internal/webtest/browsertest"
)

// maxFirstLoad is how many bytes, compressed, a browser may load to show a page for the first time,
// including the answers of the server.
const maxFirstLoad = 400_000

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
