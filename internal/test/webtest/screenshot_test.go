package webtest

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/testenv"
	"earshot/internal/test/webtest/browsertest"
)

var screenshots = flag.String("screenshots", "", "write screenshots of the main pages to this `folder`")

// screenshotPages lists the pages shown in the documentation, with the heights of their screenshots.
// {rival} stands for the competitor's monitor, {spike} for the day of the story, {next} for the day
// after it.
var screenshotPages = []struct {
	appPage
	height int
}{
	{appPage{"home", "/", `link "Morvessa"`}, 900},
	{appPage{"monitor", "/monitors/{id}", `heading "Morvessa"`}, 1370},
	{appPage{"posts", "/monitors/{id}/posts?range=lastweek&sort=engagement&group=1", `article`}, 1000},
	{appPage{"pictures", "/monitors/{id}/pictures?range=lastweek&sort=posts", `.picture`}, 900},
	{appPage{"topics", "/monitors/{id}/topics?range=lastweek", `heading "Topics"`}, 1200},
	{appPage{"why", "/monitors/{id}/why?start={spike}&end={next}", `region "Stories"`}, 1370},
	{appPage{"author", "/author?name=theopours&source=Twitter&range=lastweek&timezone=America/New_York", `article`}, 1200},
	{appPage{"compare", "/compare?m={id},{rival}&range=lastweek&before=previous", `region "Totals"`}, 1370},
	{appPage{"dashboard", "/dashboards/{dashboard}", `region "Before the meeting"`}, 1370},
	{appPage{"edit", "/monitors/{id}/edit", `.samples >> article`}, 1000},
	{appPage{"train", "/monitors/{opinion}/train", `button /Taste/`}, 900},
	{appPage{"stream", "/streams/{stream}", `heading /Coffee machines live/`}, 900},
	{appPage{"sources", "/sources", `link "Bluesky"`}, 560},
}

// TestScreenshots writes the screenshots for the documentation, in light and dark mode.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		testenv.SkipHelper(t, "make screenshots")
	}
	w := env(t)
	spike := generator().StoryDay()
	dated := strings.NewReplacer("{rival}", fmt.Sprint(w.monitors[demo.FirstRival].ID), "{spike}", spike.String(), "{next}", spike.AddDays(1).String())
	for _, s := range screenshotPages {
		s.path = dated.Replace(s.path)
		for variant, o := range map[string]browsertest.Options{
			"light": {Width: 1440, Height: s.height},
			"dark":  {Width: 1440, Height: s.height, Dark: true},
		} {
			t.Run(s.name+" "+variant, func(t *testing.T) {
				p := w.openPage(t, s.appPage, o)
				p.WaitUntil(`[...document.querySelectorAll(".chart-canvas")].every(c => c.dataset.ready === "true")`)
				p.Screenshot(filepath.Join(*screenshots, s.name+"-"+variant+".png"))
			})
		}
	}
}
