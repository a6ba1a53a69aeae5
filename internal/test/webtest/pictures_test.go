package webtest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// patternSite has patterns, which look different from each other: /1.png, /2.png and so on.
const patternSite = "https://patterns.example/"

// servePicture returns a pattern, or a picture of the demo.
func servePicture(ctx context.Context, address string) (body []byte, contentType string, err error) {
	name, ok := strings.CutPrefix(address, patternSite)
	if !ok {
		return demo.Picture(ctx, address)
	}
	var seed uint64
	if _, err := fmt.Sscanf(name, "%d.png", &seed); err != nil {
		return nil, "", fmt.Errorf("no pattern %s: %w", name, err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	img := image.NewGray(image.Rect(0, 0, 64, 64))
	for y := range 8 {
		for x := range 8 {
			shade := color.Gray{uint8(r.IntN(256))}
			for i := range 64 {
				img.SetGray(8*x+i%8, 8*y+i/8, shade)
			}
		}
	}
	var b bytes.Buffer
	err = png.Encode(&b, img)
	return b.Bytes(), "image/png", err
}

// A pictureList is the response of the pictures endpoint.
type pictureList struct {
	Posts, Total int
	Items        []struct {
		Picture      struct{ Hash string }
		Posts, Files int
		Classes      []struct {
			ID   int
			Name string
		}
	}
}

func (c *apiClient) pictures(id int64, query string) (list pictureList) {
	c.t.Helper()
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/pictures?%s", id, query), &list)
	return list
}

// showsPictures waits until the page shows pictures, in this order, with their numbers of posts.
func showsPictures(p *browsertest.Page, list pictureList) {
	want := []string{}
	for _, g := range list.Items {
		want = append(want, fmt.Sprintf("%s %s", g.Picture.Hash, plural(g.Posts, "post")))
	}
	p.WaitUntil(fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(".picture")].map(e => e.dataset.picture + " " + e.querySelector("strong").textContent)) === JSON.stringify(%s)`, quoteJS(want)))
	settle(p)
}

// loadedThumbnails is true if all thumbnails on the screen have arrived.
const loadedThumbnails = `[...document.querySelectorAll("img.thumbnail")].filter(i => i.getBoundingClientRect().top < innerHeight).every(i => i.complete && i.naturalWidth > 0)`

// TestPictures compares the pictures of a month with the API, sorts them, filters them by what they
// show, and opens the posts with one.
func TestPictures(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	today := time.Now().UTC().Format("2006-01-02")
	d := days{addDays(t, today, -20), addDays(t, today, -1)} // nothing changes in these days
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/pictures?%s", id, d.query()))
	all := c.pictures(id, d.query())
	if all.Total < 8 || all.Items[0].Files == 0 {
		t.Fatalf("got %+v", all)
	}
	showsPictures(p, all)
	waitForText(p, plural(all.Total, "picture")+". Copies of a picture are shown as one.")
	p.WaitUntil(loadedThumbnails)
	p.WaitUntil(`[...document.querySelectorAll("img")].every(i => new URL(i.src).origin === location.origin && i.alt !== "")`)
	p.AxeInTurn()

	frequent := c.pictures(id, d.query()+"&sort=posts")
	p.Choose(`combobox "Sort by"`, "Most posts")
	showsPictures(p, frequent)

	cups := c.pictures(id, d.query()+"&sort=posts&filter=image:42")
	if cups.Total == 0 || cups.Total == all.Total {
		t.Errorf("%d of %d pictures show cups", cups.Total, all.Total)
	}
	p.Click(`group "Filter by what pictures show" >> button /^cup /`)
	showsPictures(p, cups)
	p.WaitFor(`group "Filter by what pictures show" >> button[aria-pressed=true]`)
	p.AxeInTurn()
	p.Click(`group "Filter by what pictures show" >> button /^cup /`)
	showsPictures(p, frequent)
	p.Click(`button "clock"`)
	showsPictures(p, c.pictures(id, d.query()+"&sort=posts&filter=image:75"))
	p.Back()
	showsPictures(p, frequent)

	g := frequent.Items[0]
	p.Click(fmt.Sprintf(`[data-picture="%s"] > a`, g.Picture.Hash))
	p.WaitFor(`heading "Posts with this picture"`)
	waitTexts(p, `p[role=status] strong`, plural(g.Posts, "post"))
	p.WaitUntil(loadedThumbnails)
	if got, want := p.Count(`article`), min(g.Posts, 50); got != want {
		t.Errorf("got %d posts, want %d", got, want)
	}
	if thumbnails := p.Count(`article img.thumbnail`); thumbnails != p.Count(`article`) {
		t.Errorf("%d posts have %d thumbnails", p.Count(`article`), thumbnails)
	}
	p.AxeInTurn()
	p.Click(`link "All pictures"`)
	p.WaitFor(`.picture`)
}

// TestMorePictures loads the second page of pictures, opens one of it, and comes back to it.
func TestMorePictures(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	const count = 70
	word := uniqueName("patterned")
	var posts []fields
	for i := range count {
		posts = append(posts, fields{"type": "News", "guid": fmt.Sprintf("%s-%d", word, i), "date": time.Now().Add(-time.Duration(i) * time.Minute).UTC().Format("2006-01-02T15:04:05Z"),
			"contents": word + " story", "url": "https://news.example/" + word, "images": []fields{{"url": fmt.Sprintf("%s%d.png", patternSite, i)}}})
	}
	c.importPosts(posts...)
	id := c.addMonitor(w, fields{"name": word, "type": "BUZZ", "keywords": word, "start": addDays(t, time.Now().UTC().Format("2006-01-02"), -3)}, count)
	c.waitUntil("all pictures are known", func() bool { return c.pictures(id, "").Total == count })
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/pictures", id))
	showsPictures(p, c.pictures(id, "limit=60"))
	waitForText(p, "60 of 70 shown")
	p.Click(`button "Load more"`)
	showsPictures(p, c.pictures(id, "limit=70"))
	p.WaitHidden(`button "Load more"`)
	last := c.pictures(id, "limit=70").Items[count-1].Picture.Hash
	p.Click(fmt.Sprintf(`[data-picture="%s"] > a`, last))
	waitTexts(p, `p[role=status] strong`, "1 post")
	p.Back()
	showsPictures(p, c.pictures(id, "limit=70"))
	p.WaitUntil(fmt.Sprintf(`document.querySelector('[data-picture="%s"]').getBoundingClientRect().top < innerHeight`, last))
}

// TestRemovedThumbnail shows a picture whose thumbnail the server has removed: an icon of the same size
// takes its place.
func TestRemovedThumbnail(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("evicted")
	c.importPosts(fields{"type": "News", "guid": word, "date": time.Now().UTC().Format("2006-01-02T15:04:05Z"), "contents": word + " story", "url": "https://news.example/" + word,
		"images": []fields{{"url": patternSite + "1001.png"}}})
	id := c.addMonitor(w, fields{"name": word, "type": "BUZZ", "keywords": word, "start": addDays(t, time.Now().UTC().Format("2006-01-02"), -3)}, 1)
	c.waitUntil("the picture is known", func() bool { return c.pictures(id, "").Total == 1 })
	hash := c.pictures(id, "").Items[0].Picture.Hash
	if err := os.Remove(filepath.Join(w.folder, "pictures", "thumbs", hash[:2], hash+".jpg")); err != nil {
		t.Fatal(err)
	}
	p := w.open(t, browsertest.Options{Width: 390, Height: 844})
	p.SignIn(demo.Username, demo.Password)
	p.Expect(404, "/manage/v1/pictures/"+hash)
	for _, page := range []string{"posts", "pictures"} {
		p.Visit(fmt.Sprintf("/monitors/%d/%s", id, page))
		p.WaitFor(`.thumbnail.missing`)
		settle(p)
		if s := p.LayoutShift(); s.Score > maxLayoutShift {
			t.Errorf("%s: got a layout shift of %.3f: %q", page, s.Score, s.Moved)
		}
		p.AxeInTurn()
	}
}

// TestNoPictures checks what the page says if there are no pictures.
func TestNoPictures(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	word := uniqueName("plain")
	date := time.Now().UTC().Format("2006-01-02T15:04:05Z")
	c.importPosts(fields{"type": "News", "guid": word, "date": date, "contents": word + " story", "url": "https://news.example/" + word})
	id := c.addMonitor(w, fields{"name": word, "type": "BUZZ", "keywords": word, "start": addDays(t, date[:10], -3)}, 1)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/pictures", id))
	waitForText(p, "No post in this date range has a picture.")
	p.AxeInTurn()
	p.Visit(fmt.Sprintf("/monitors/%d/pictures?filter=%s", id, url.QueryEscape("keywords:nothing")))
	waitForText(p, "No pictures match the filter in this date range.")
	p.Click(`button "Clear filters"`)
	waitForText(p, "No post in this date range has a picture.")

	c.importPosts(fields{"type": "News", "guid": word + "2", "date": date, "contents": word + " gone", "url": "https://news.example/" + word + "2", "images": []fields{{"url": "https://images.example/gone.jpg"}}})
	c.waitUntil("the monitor has both posts", func() bool { return c.posts(id) == 2 })
	p.Reload()
	waitForText(p, "1 post with an image in this date range. Their pictures have not been fetched yet, or could not be fetched.")

	site, team := startFresh(t)
	fresh := (&environment{site: site}).clientFor(t, "ann", "far and wide")
	monitor := fresh.create("/manage/v1/monitors", fields{"team": team, "name": "Lighthouses", "keywords": "lighthouse"})
	p = w.browser.Open(t, browsertest.Options{Site: site, Width: 390, Height: 844, Dark: true})
	p.SignIn("ann", "far and wide")
	p.Visit(fmt.Sprintf("/monitors/%d/pictures", monitor))
	p.WaitFor(`heading "Pictures are not fetched"`)
	waitForText(p, "images.fetch")
	waitForText(p, "Set it in the configuration file of the server")
	p.AxeInTurn()
}
