package webtest

import (
	"flag"
	"path/filepath"
	"testing"

	"earshot/internal/browsertest"
)

var screenshots = flag.String("screenshots", "", "write screenshots of the main pages to this `folder`")

// TestScreenshots writes the pictures that the README shows: each page in light and in
// dark, and as a phone shows it.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("make screenshots writes them")
	}
	w := here(t)
	for _, s := range sights {
		for variant, o := range map[string]browsertest.Options{
			"light": {Width: 1440, Height: 900},
			"dark":  {Width: 1440, Height: 900, Dark: true},
		} {
			t.Run(s.name+" "+variant, func(t *testing.T) {
				w.look(t, s, o).Screenshot(filepath.Join(*screenshots, s.name+"-"+variant+".png"))
			})
		}
	}
}
