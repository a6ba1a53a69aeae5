package scenariotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/picture"
)

// colors are the pictures of pictureServer by name.
var colors = map[string]color.RGBA{"red": {200, 0, 0, 255}, "green": {0, 200, 0, 255}, "blue": {0, 0, 200, 255}}

// colorModel returns a model that sees a dog in red pictures and a cat in green ones.
func colorModel() *picture.Model {
	main := func(img image.Image) int {
		at := img.Bounds().Min
		r, g, b, _ := img.At(at.X+img.Bounds().Dx()/2, at.Y+img.Bounds().Dy()/2).RGBA()
		switch max(r, g, b) {
		case r:
			return 0
		case g:
			return 1
		}
		return 2
	}
	return &picture.Model{
		Version: "colors",
		Classify: func(img image.Image) ([]earshot.ImageObject, []earshot.ImageBrand, error) {
			return [][]earshot.ImageObject{{{Score: 0.8, ClassID: 17, ClassName: "dog"}}, {{Score: 0.9, ClassID: 16, ClassName: "cat"}}, nil}[main(img)], nil, nil
		},
		Hash: func(img image.Image) uint64 { return []uint64{0xffff, 0xffff0000, 0xffff00000000}[main(img)] },
	}
}

// pictureFile returns a picture of one color.
func pictureFile(name string, width, height int, asPNG bool) []byte {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		c := colors[name]
		img.Pix[i] = []uint8{c.R, c.G, c.B, c.A}[i%4]
	}
	var b bytes.Buffer
	var err error
	if asPNG {
		err = png.Encode(&b, img)
	} else {
		err = jpeg.Encode(&b, img, nil)
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// pictureServer starts a server with pictures: /red-640x480.jpg is red, 640 pixels wide and 480 high.
// Other paths, such as /gone.jpg, are not found, except that /text.jpg is a text.
func pictureServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ending, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".")
		name, size, _ := strings.Cut(name, "-")
		var width, height int
		switch n, _ := fmt.Sscanf(size, "%dx%d", &width, &height); {
		case name == "text":
			fmt.Fprint(w, "<p>not a picture")
		case n != 2 || colors[name] == color.RGBA{}:
			http.NotFound(w, r)
		default:
			_, _ = w.Write(pictureFile(name, width, height, ending == "png"))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// awaitPictures waits until all pictures of posts in the journal are dealt with, and what they show is
// counted.
func awaitPictures(t *testing.T, a *app.App) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		last, err := a.Journal.Last(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a.Pictures.Done() >= last {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("pictures are not dealt with: %+v", a.Pictures.Stats())
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestUploadedPictures uploads a picture and imports a post with it. That works without fetching.
func TestUploadedPictures(t *testing.T) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit = t.TempDir(), 0
	a := openApp(t, cfg, app.Options{ImageModel: colorModel()})
	var auth string
	send := func(method, path string, body []byte, into any) int {
		t.Helper()
		r := httptest.NewRequest(method, path, bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+auth)
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		return w.Code
	}
	var session struct{ Auth string }
	send("POST", "/manage/v1/tokens", fmt.Appendf(nil, `{"username":"admin","password":%q}`, adminPassword), &session)
	auth = session.Auth
	var team, monitor struct{ ID int64 }
	send("POST", "/manage/v1/teams", []byte(`{"name":"Acme"}`), &team)
	send("POST", "/manage/v1/monitors", fmt.Appendf(nil, `{"name":"Coffee","team":%d,"keywords":"coffee"}`, team.ID), &monitor)

	var uploaded struct {
		URL     string
		Width   int
		Classes []struct{ Name string }
	}
	if code := send("POST", "/manage/v1/pictures", pictureFile("green", 400, 300, true), &uploaded); code != 201 || uploaded.Width != 400 || len(uploaded.Classes) != 1 || uploaded.Classes[0].Name != "cat" {
		t.Fatalf("upload: got %d %+v", code, uploaded)
	}
	var refused struct{ Message string }
	for name, body := range map[string][]byte{"a text": []byte("no picture"), "nothing": nil} {
		if code := send("POST", "/manage/v1/pictures", body, &refused); code != 400 {
			t.Errorf("%s: got %d %s", name, code, refused.Message)
		}
	}
	if code := send("POST", "/manage/v1/pictures", make([]byte, picture.MaxBytes+1), &refused); code != 413 {
		t.Errorf("a large file: got %d %s", code, refused.Message)
	}

	line := `{"type":"News","guid":"%s","date":"%s","contents":"coffee","images":[{"url":"%s"}]}` + "\n"
	now := time.Now().UTC().Format(time.RFC3339)
	lines := fmt.Appendf(nil, line, "1", now, uploaded.URL)
	lines = fmt.Appendf(lines, line, "2", now, earshot.PictureScheme+strings.Repeat("0", 64))
	var imported struct {
		Accepted, Rejected int
		Errors             []struct{ Message string }
	}
	send("POST", "/manage/v1/posts", lines, &imported)
	if imported.Accepted != 1 || imported.Rejected != 1 || !strings.Contains(imported.Errors[0].Message, "was not uploaded") {
		t.Errorf("import: got %+v", imported)
	}
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	var list struct {
		Total int
		Items []struct {
			Posts   int
			Picture struct{ Hash string }
			Classes []struct{ Name string }
		}
	}
	send("GET", fmt.Sprintf("/manage/v1/monitors/%d/pictures", monitor.ID), nil, &list)
	if list.Total != 1 || list.Items[0].Posts != 1 || earshot.PictureScheme+list.Items[0].Picture.Hash != uploaded.URL || list.Items[0].Classes[0].Name != "cat" {
		t.Errorf("pictures: got %+v", list)
	}
}
