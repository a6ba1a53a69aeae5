package demo

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"hash/fnv"
	"image"
	"image/jpeg"
	"strings"
	"sync"

	"golang.org/x/image/draw"

	"earshot"
	"earshot/internal/fetch"
)

// pictureSite is where the images of posts are. Nothing is ever requested from it: [Picture] serves
// them.
const pictureSite = "https://images.example/"

// photos has photographs by name. NOTICE names their sources.
//
//go:embed pictures/*.jpg
var photos embed.FS

// drawings are pictures that are drawn when they are first needed, by name.
var drawings = map[string]func() image.Image{
	"clock":  drawClock,
	"stop":   drawStopSign,
	"phone":  drawPhone,
	"ball":   drawBall,
	"sunset": drawSunset,
	"quote":  drawQuote,
	"poster": drawPoster,
	"sale":   drawSale,
	"banner": drawBanner,
}

// The pictures that people add to a post, by its subject. Common ones are there several times.
var (
	coffeePictures = []string{"coffee", "coffee", "coffee", "table", "table", "cup", "cup", "clock", "quote"}
	angryPictures  = []string{"stop", "stop", "coffee", "table", "clock"}
	payPictures    = []string{"phone", "phone", "phone", "stop", "cup"}
	logoPictures   = map[string]string{Brand: "poster", FirstRival: "sale", SecondRival: "banner"}

	// chatPictures are by interest.
	chatPictures = map[string][]string{
		"pets":       {"cat", "cat", "kitten"},
		"travel":     {"sunset", "sunset", "table"},
		"football":   {"ball"},
		"technology": {"astronaut", "phone"},
		"film":       {"astronaut"},
		"food":       {"coffee", "table", "cup"},
	}
	otherPictures = []string{"quote", "clock", "sunset", "cat", "coffee"}
)

// show makes an image one of the demo's pictures, which Earshot then looks at like at any other. It
// replaces what the generator says about the image, except that an advertisement has the logo of its brand.
// The choice depends on the code of the post alone, so that other posts stay the same.
func show(img *earshot.Image, m *theme, code string) {
	names := otherPictures
	switch {
	case len(img.Brands) > 0:
		names = []string{logoPictures[m.brand]}
	case m.topic == paywall || m.topic == switching:
		names = payPictures
	case m.topic == chatter:
		if list := chatPictures[m.tag]; list != nil {
			names = list
		}
	case m.mood == anger || m.mood == fear:
		names = angryPictures
	default:
		names = coffeePictures
	}
	h := fnv.New32a()
	h.Write([]byte(code))
	n := h.Sum32()
	img.URL = pictureSite + names[n/4%uint32(len(names))]
	if n%4 == 0 {
		img.URL += smallSuffix
	}
	img.URL += ".jpg"
	img.Objects = nil
	if len(img.Brands) == 0 {
		img.Alt = ""
	}
}

const (
	smallSuffix = "-small" // of the names of scaled copies, which have another content but look the same
	smallWidth  = 200
)

// Picture returns the picture at a URL of a demo post. It stands in for the network: other URLs
// cannot be fetched.
func Picture(_ context.Context, url string) (body []byte, contentType string, err error) {
	name, ok := strings.CutPrefix(url, pictureSite)
	if ok {
		body, ok = pictureFiles()[name]
	}
	if !ok {
		return nil, "", &earshot.Error{Kind: earshot.Unprocessable, Err: &fetch.StatusError{Code: 404}, // not tried again
			Message: "The picture could not be fetched: the demo reaches no network. Use the URL of a picture in one of its posts, such as " + pictureSite + "coffee.jpg"}
	}
	return body, "image/jpeg", nil
}

// pictureFiles returns the files of all pictures by name.
var pictureFiles = sync.OnceValue(func() map[string][]byte {
	files := map[string][]byte{}
	add := func(name string, file []byte, img image.Image) {
		files[name+".jpg"] = file
		files[name+smallSuffix+".jpg"] = encode(shrink(img, smallWidth))
	}
	for name, paint := range drawings {
		img := paint()
		add(name, encode(img), img)
	}
	list, err := photos.ReadDir("pictures")
	if err != nil {
		panic(err) // the directory is embedded
	}
	for _, f := range list {
		file, err := photos.ReadFile("pictures/" + f.Name())
		if err != nil {
			panic(err) // the file is embedded
		}
		img, err := jpeg.Decode(bytes.NewReader(file))
		if err != nil {
			panic(fmt.Sprintf("demo: %s: %v", f.Name(), err)) // TestPictures checks them all
		}
		add(strings.TrimSuffix(f.Name(), ".jpg"), file, img)
	}
	return files
})

// shrink scales an image down to a width.
func shrink(img image.Image, width int) image.Image {
	size := img.Bounds().Size()
	small := image.NewRGBA(image.Rect(0, 0, width, size.Y*width/size.X))
	draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	return small
}

func encode(img image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 85}); err != nil {
		panic(err) // the image is small, and the buffer takes everything
	}
	return b.Bytes()
}
