package browsertest

import (
	"github.com/chromedp/cdproto/emulation"
)

// Width and height of A4 paper without margins, in CSS pixels.
const paperWidth, paperHeight = 688, 1016

// ShowPrint shows the page as it would be printed.
func (p *Page) ShowPrint() {
	p.t.Helper()
	p.Eval(`dispatchEvent(new Event("beforeprint"))`, nil)
	p.do("show the page as printed",
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}),
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: paperWidth, Height: paperHeight, DeviceScaleFactor: 1}),
	)
}
