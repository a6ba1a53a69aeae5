package webtest

import (
	"fmt"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// TestPrint prints the overview in dark mode: on paper it is light, has no menu and no buttons, says
// which monitor, days and filter it shows, and its charts fit on the page.
func TestPrint(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900, Dark: true})
	p.SignIn(demo.Username, demo.Password)
	c := w.client(t)
	d := lastDays(t, c, int64(w.monitors[demo.Brand].ID))
	p.Visit(fmt.Sprintf("/monitors/%d?%s&filter=language:en", w.monitors[demo.Brand].ID, d.query()))
	p.WaitFor(`region "Volume"`)
	settle(p)
	p.WaitUntil(`[...document.querySelectorAll(".chart-canvas")].every(c => c.dataset.ready === "true")`)
	p.ShowPrint()

	for _, css := range []string{".side", ".tabs", ".button:not(.dates)", ".seg", ".chip button:not(.clip)"} {
		p.WaitUntil(fmt.Sprintf(`[...document.querySelectorAll(%s)].every(e => !e.checkVisibility())`, quoteJS(css)))
	}
	p.WaitUntil(`document.querySelector("h1").checkVisibility() && document.querySelector(".dates").checkVisibility()`)
	p.WaitText(`.chip`, "Language: English")
	p.WaitUntil(`getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)"`)
	p.WaitUntil(`getComputedStyle(document.querySelector("h1")).color === "rgb(24, 32, 48)"`)
	// The bars have the color of the light theme.
	p.WaitUntil(`(() => {
		const canvas = document.querySelector(".chart-canvas canvas");
		const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
		let bars = 0;
		for (let i = 0; i < data.length; i += 4) if (data[i] === 0x2b && data[i + 1] === 0x55 && data[i + 2] === 0xcf) bars++;
		return bars > 1000;
	})()`)
	p.WaitUntil(`[...document.querySelectorAll(".chart-canvas canvas")].every(c => c.getBoundingClientRect().right <= innerWidth)`)
	// Small cards share a row instead of leaving half of the paper empty.
	p.WaitUntil(`new Set(["Gender", "Age", "Post types"].map(name => Math.round([...document.querySelectorAll("h2")].find(h => h.innerText === name).getBoundingClientRect().top))).size === 1`)
	var wide string
	p.Eval(widestElement, &wide)
	checkEqual(t, "element wider than the paper", wide, "")
}
