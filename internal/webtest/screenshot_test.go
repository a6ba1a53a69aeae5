package webtest

import (
	"flag"
	"path/filepath"
	"testing"

	"earshot/internal/webtest/browsertest"
)

var screenshots = flag.String("screenshots", "", "write screenshots of the main pages to this `folder`")

// screenshotHeights has the pages shown in the documentation and the heights of their screenshots.
var screenshotHeights = map[string]int{"home": 900, "monitor": 1370, "posts": 1000, "edit": 1000, "train": 900, "stream": 900, "sources": 560}

// TestScreenshots writes the screenshots for the documentation, in light and dark mode.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("run with make screenshots")
	}
	w := env(t)
	for _, s := range appPages {
		height, shown := screenshotHeights[s.name]
		if !shown {
			continue
		}
		for variant, o := range map[string]browsertest.Options{
			"light": {Width: 1440, Height: height},
			"dark":  {Width: 1440, Height: height, Dark: true},
		} {
			t.Run(s.name+" "+variant, func(t *testing.T) {
				w.openPage(t, s, o).Screenshot(filepath.Join(*screenshots, s.name+"-"+variant+".png"))
			})
		}
	}
}
