package scenariotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/picture"
)

// A pictureClient sends requests to an app as the administrator.
type pictureClient struct {
	t     *testing.T
	app   *app.App
	token string
}

func newPictureClient(t *testing.T, a *app.App) *pictureClient {
	t.Helper()
	c := &pictureClient{t: t, app: a}
	var session struct{ Auth string }
	c.send("POST", "/manage/v1/tokens", fmt.Appendf(nil, `{"username":"admin","password":%q}`, adminPassword), &session)
	c.token = session.Auth
	return c
}

// send sends a request and decodes the response.
func (c *pictureClient) send(method, path string, body []byte, into any) (status int) {
	c.t.Helper()
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+c.token)
	w := httptest.NewRecorder()
	c.app.Handler().ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		c.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Code
}

// classes returns the number of posts of a monitor by what their images show.
func (c *pictureClient) classes(monitor int64) map[string]int {
	c.t.Helper()
	var response struct {
		Results []struct {
			ImageClasses []struct {
				Name   string
				Volume int
			}
		}
	}
	c.send("GET", fmt.Sprintf("/api/monitor/imageresults?id=%d&start=2026-03-10&end=2026-03-11", monitor), nil, &response)
	classes := map[string]int{}
	for _, day := range response.Results {
		for _, class := range day.ImageClasses {
			classes[class.Name] += class.Volume
		}
	}
	return classes
}

// refresh runs the current models on all stored posts and waits until the pictures are dealt with.
func (c *pictureClient) refresh() {
	c.t.Helper()
	var models struct{ Refresh struct{ State string } }
	c.send("POST", "/manage/v1/models/refresh?all=true", nil, &models)
	for deadline := time.Now().Add(time.Minute); models.Refresh.State != "done"; time.Sleep(5 * time.Millisecond) {
		c.send("GET", "/manage/v1/models", nil, &models)
		if time.Now().After(deadline) || models.Refresh.State == "failed" {
			c.t.Fatalf("refresh: %+v", models)
		}
	}
}

// TestRefreshLooksAtPicturesAgain stores posts whose pictures one model has looked at, and refreshes
// them with another one: a picture that was fetched, one that was uploaded, and one whose thumbnail
// was removed.
func TestRefreshLooksAtPicturesAgain(t *testing.T) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.FetchImages, cfg.AllowPrivateImages = t.TempDir(), 0, true, true
	host := pictureServer(t)
	a := openApp(t, cfg, app.Options{ImageModel: colorModel()})
	c := newPictureClient(t, a)
	var team, monitor struct{ ID int64 }
	c.send("POST", "/manage/v1/teams", []byte(`{"name":"Acme"}`), &team)
	c.send("POST", "/manage/v1/monitors", fmt.Appendf(nil, `{"name":"Coffee","team":%d,"keywords":"coffee","start":"2026-03-01"}`, team.ID), &monitor)
	var uploaded struct{ URL string }
	c.send("POST", "/manage/v1/pictures", pictureFile("red", 50, 40, true), &uploaded)
	var lines []byte
	for i, url := range []string{host + "/red-60x40.jpg", host + "/green-60x40.jpg", uploaded.URL, host + "/blue-60x40.jpg"} {
		lines = fmt.Appendf(lines, `{"type":"News","guid":"%d","date":"2026-03-10","contents":"coffee","images":[{"url":%q}]}`+"\n", i, url)
	}
	var imported struct{ Accepted int }
	if c.send("POST", "/manage/v1/posts", lines, &imported); imported.Accepted != 4 {
		t.Fatalf("%d posts were accepted, want 4", imported.Accepted)
	}
	awaitPictures(t, a)
	if got, want := c.classes(monitor.ID), map[string]int{"dog": 2, "cat": 1}; !maps.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	a.Close()

	hash := picture.HashOf(pictureFile("green", 60, 40, false))
	if err := os.Remove(filepath.Join(cfg.Data, "pictures", "thumbs", hash[:2], hash+".jpg")); err != nil {
		t.Fatal(err)
	}
	newer := colorModel()
	classify := newer.Classify
	newer.Version = "colors 2"
	newer.Classify = func(img image.Image) ([]earshot.ImageObject, []earshot.ImageBrand, error) {
		objects, brands, err := classify(img)
		for i := range objects {
			objects[i].ClassID, objects[i].ClassName = objects[i].ClassID+1, map[string]string{"dog": "horse", "cat": "dog"}[objects[i].ClassName]
		}
		return objects, brands, err
	}
	a = openApp(t, cfg, app.Options{ImageModel: newer})
	c = newPictureClient(t, a)
	if got, want := c.classes(monitor.ID), map[string]int{"dog": 2, "cat": 1}; !maps.Equal(got, want) {
		t.Errorf("before the refresh: got %v, want %v", got, want)
	}
	c.refresh()
	awaitPictures(t, a)
	if got, want := c.classes(monitor.ID), map[string]int{"horse": 2, "dog": 1}; !maps.Equal(got, want) {
		t.Errorf("after the refresh: got %v, want %v", got, want)
	}
	a.Close()

	// Without fetching, pictures that were uploaded are looked at again.
	cfg.FetchImages = false
	a = openApp(t, cfg, app.Options{ImageModel: colorModel()})
	c = newPictureClient(t, a)
	c.refresh()
	if got, want := c.classes(monitor.ID), map[string]int{"horse": 1, "dog": 2}; !maps.Equal(got, want) {
		t.Errorf("without fetching: got %v, want %v", got, want)
	}
}

// TestImageAnalysisIsLimited checks the limit per user, who may go on in the next minute.
func TestImageAnalysisIsLimited(t *testing.T) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.FetchImages, cfg.AllowPrivateImages = t.TempDir(), 0, true, true
	var now atomic.Int64 // Unix time
	now.Store(time.Date(2026, 3, 10, 12, 0, 20, 0, time.UTC).Unix())
	url := pictureServer(t) + "/red-8x8.jpg"
	a := openApp(t, cfg, app.Options{ImageModel: colorModel(), Now: func() time.Time { return time.Unix(now.Load(), 0).UTC() }})
	c := newPictureClient(t, a)
	var response struct {
		Data    struct{ Classes []struct{ Name string } } `json:"imgData"`
		Message string
	}
	for i := range 30 {
		if code := c.send("GET", "/api/imageanalysis?url="+url, nil, &response); code != 200 || len(response.Data.Classes) != 1 {
			t.Fatalf("request %d: got %d %+v", i+1, code, response)
		}
	}
	if code := c.send("GET", "/api/imageanalysis?url="+url, nil, &response); code != 429 || !strings.Contains(response.Message, "At most 30 images a minute") {
		t.Errorf("request 31: got %d %q", code, response.Message)
	}
	if code := c.send("GET", "/api/imageanalysis/resources/classes", nil, &response); code != 200 {
		t.Errorf("the classes: got %d %q, want no limit", code, response.Message)
	}
	now.Add(40) // the next minute
	if code := c.send("GET", "/api/imageanalysis?url="+url, nil, &response); code != 200 {
		t.Errorf("a minute later: got %d %q", code, response.Message)
	}
}
