package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"
	"image/jpeg"
	_ "image/png"
	"io/fs"
	"os"
	"runtime"
	"time"

	_ "golang.org/x/image/webp"

	"earshot/internal/model/vision/net"
)

// imageData is the default directory of pictures.
const imageData = "../shared/data/vision/images"

// An ImagesResult is how fast and how well images are classified.
type ImagesResult struct {
	Files     int             `json:"files"`
	Pictures  int             `json:"pictures"` // classified; files are repeated
	PerSecond float64         `json:"perSecond"`
	Decode    float64         `json:"decodeMilliseconds"`   // mean
	Classify  float64         `json:"classifyMilliseconds"` // mean: resizing and both networks
	CPU       float64         `json:"cpuMilliseconds"`      // mean of both, as the operating system counts it; 0 if unknown
	MemoryMB  float64         `json:"memoryMB"`             // held by the networks afterward
	Accuracy  *ImagesAccuracy `json:"accuracy,omitempty"`   // of labeled pictures
	Variants  *ImagesAccuracy `json:"variants,omitempty"`   // of their variants and of collages of two, up to maxVaried pictures
	NonPhotos *NonPhotos      `json:"nonPhotos,omitempty"`  // if there are labeled pictures
}

// A pictureFile is a picture as it is stored, with what it shows.
type pictureFile struct {
	name string
	data []byte
	pictureLabels
}

// measureImages classifies pictures one after the other.
func measureImages(ctx context.Context, s *session) (any, error) {
	files, err := readPictures(s.data)
	if errors.Is(err, fs.ErrNotExist) && s.data == imageData {
		s.logf("no pictures in %s: generating some", s.data)
		files, err = generatePictures(s.seed)
	}
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no pictures", s.data)
	}
	pictures := s.count
	s.sample, s.count = &Sample{Name: s.data}, 0
	runtime.GOMAXPROCS(s.cpus)
	before := heapInUse()
	n, err := net.New()
	if err != nil {
		return nil, err
	}
	result := &ImagesResult{Files: len(files), Pictures: pictures}
	if result.Accuracy, err = newImagesAccuracy(n, files); err != nil { // also warms up
		return nil, err
	}
	result.MemoryMB = float64(heapInUse()-before) / (1 << 20)
	if result.Accuracy != nil {
		if result.Variants, err = measureVariants(ctx, n, files); err != nil {
			return nil, err
		}
		if result.NonPhotos, err = measureNonPhotos(ctx, n, s.kinds); err != nil {
			return nil, err
		}
	}
	var decoding, classifying time.Duration
	start, cpu := time.Now(), cpuTime()
	for i := range pictures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from := time.Now()
		img, err := decodePicture(files[i%len(files)])
		if err != nil {
			return nil, err
		}
		decoded := time.Now()
		if _, err := n.Classify(img); err != nil {
			return nil, err
		}
		decoding += decoded.Sub(from)
		classifying += time.Since(decoded)
	}
	mean := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(pictures) }
	result.PerSecond = float64(pictures) / time.Since(start).Seconds()
	result.Decode, result.Classify, result.CPU = mean(decoding), mean(classifying), mean(cpuTime()-cpu)
	runtime.KeepAlive(n)
	return result, nil
}

// heapInUse returns the number of bytes of reachable objects.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // pools survive one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func decodePicture(f pictureFile) (image.Image, error) {
	img, _, err := image.Decode(bytes.NewReader(f.data))
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", f.name, err)
	}
	return img, nil
}

// generatePictures returns pictures of overlapping colored ellipses, as JPEG files of a usual size. They
// are grainy, because the networks do not run on images that do not look like photographs.
func generatePictures(seed uint64) ([]pictureFile, error) {
	const count, width, height, ellipses = 8, 1024, 768, 30
	var files []pictureFile
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
		files = append(files, pictureFile{name: fmt.Sprintf("generated %d", i+1), data: file.Bytes()})
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

// readPicture reads a file.
func readPicture(path string, labels pictureLabels) (pictureFile, error) {
	data, err := os.ReadFile(path)
	return pictureFile{name: path, data: data, pictureLabels: labels}, err
}
