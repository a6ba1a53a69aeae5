package bench

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"earshot"
)

// pictureHosts are local HTTP servers with pictures. All files differ.
type pictureHosts struct {
	servers []*http.Server
	urls    []string
}

// servePictures starts the hosts. Each has its own port, so it counts as a host of its own.
func servePictures(files [][]byte) (*pictureHosts, error) {
	h := new(pictureHosts)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscanf(filepath.Base(r.URL.Path), "%d", &n)
		_, _ = w.Write(append(slices.Clone(files[n%len(files)]), r.Host+r.URL.Path...)) // decoders ignore what follows the image
	})
	for range costHosts {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			h.close()
			return nil, err
		}
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(listener) }() // ends when the server is closed
		h.servers, h.urls = append(h.servers, server), append(h.urls, "http://"+listener.Addr().String())
	}
	return h, nil
}

func (h *pictureHosts) close() {
	for _, s := range h.servers {
		s.Close()
	}
}

// post returns a post with picture i of a series.
func (h *pictureHosts) post(series string, i int) earshot.Post {
	return earshot.Post{
		Source: earshot.News, GUID: fmt.Sprintf("%s %d", series, i), Time: firstDay.Add(time.Duration(i) * time.Second), Contents: "My new picture", Followers: earshot.Counted(1),
		Images: []earshot.Image{{URL: fmt.Sprintf("%s/%s/%d", h.urls[i%len(h.urls)], series, i)}},
	}
}

// generatePictures returns pictures of overlapping colored ellipses, as JPEG files of a usual size. They
// are grainy, because the networks do not run on images that do not look like photographs.
func generatePictures(seed uint64) ([][]byte, error) {
	const count, width, height, ellipses = 8, 1024, 768, 30
	var files [][]byte
	for i := range count {
		d := newRNG(seed, pictureStream, i)
		img := image.NewRGBA(image.Rect(0, 0, width, height))
		for range ellipses {
			x, y, rx, ry := d.below(width), d.below(height), 20+d.below(width/4), 20+d.below(height/4)
			c := color.RGBA{uint8(d.below(256)), uint8(d.below(256)), uint8(d.below(256)), 255}
			for py := max(y-ry, 0); py < min(y+ry, height); py++ {
				for px := max(x-rx, 0); px < min(x+rx, width); px++ {
					dx, dy := float64(px-x)/float64(rx), float64(py-y)/float64(ry)
					if dx*dx+dy*dy < 1 {
						img.SetRGBA(px, py, c)
					}
				}
			}
		}
		addGrain(img, &d)
		var file bytes.Buffer
		if err := jpeg.Encode(&file, img, nil); err != nil {
			return nil, err
		}
		files = append(files, file.Bytes())
	}
	return files, nil
}

// addGrain changes the brightness of all pixels at random: by little on the left, by much on the right.
func addGrain(img *image.RGBA, d *rng) {
	size := img.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			strength := 8 + 56*x/size.X
			change := d.below(2*strength) - strength
			pixel := img.Pix[img.PixOffset(x, y):][:3]
			for c := range pixel {
				pixel[c] = uint8(min(max(int(pixel[c])+change, 0), 255))
			}
		}
	}
}
