package net_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	_ "golang.org/x/image/webp"

	"earshot/internal/model/vision/net"
	"earshot/internal/test/testenv"
)

// TestMeasure measures how fast pictures are decoded and classified, and how well if they have labels.
// docs/models/images.md quotes its figures. With -cpu 1, it uses one core.
//
// Pictures (JPEG, PNG, GIF, WebP) are in a directory, or a file lists them with their labels. The file
// labels.tsv of a directory does that, too. Files that are named like those of ImageNet
// (n02123045_1.JPEG) need no labels.
func TestMeasure(t *testing.T) {
	testenv.SkipUnlessLong(t)
	files, err := readPictures(*labeled)
	if errors.Is(err, fs.ErrNotExist) {
		testenv.SkipMissing(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	result, err := measure(t.Context(), files, *classifications, 0)
	if err != nil {
		t.Fatal(err)
	}
	testenv.LogJSON(t, result)
}

var (
	labeled         = flag.String("pictures", "../../../../docs/models/images.tsv", "`directory` of pictures, or file of their labels")
	classifications = flag.Int("repeat", 200, "`number` of pictures to classify for the speed; files are repeated")
)

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

// measure classifies pictures one after the other, and images of a number of kinds that are not
// photographs, 0 for all.
func measure(ctx context.Context, files []pictureFile, count, kinds int) (*ImagesResult, error) {
	if len(files) == 0 {
		return nil, errors.New("there are no pictures")
	}
	before := heapInUse()
	n, err := net.New()
	if err != nil {
		return nil, err
	}
	result := &ImagesResult{Files: len(files), Pictures: count}
	if result.Accuracy, err = newImagesAccuracy(n, files); err != nil { // also warms up
		return nil, err
	}
	result.MemoryMB = float64(heapInUse()-before) / (1 << 20)
	if result.Accuracy != nil {
		if result.Variants, err = measureVariants(ctx, n, files); err != nil {
			return nil, err
		}
		if result.NonPhotos, err = measureNonPhotos(ctx, n, kinds); err != nil {
			return nil, err
		}
	}
	var decoding, classifying time.Duration
	start, cpu := time.Now(), cpuTime()
	for i := range count {
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
	mean := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(count) }
	result.PerSecond = float64(count) / time.Since(start).Seconds()
	result.Decode, result.Classify, result.CPU = mean(decoding), mean(classifying), mean(cpuTime()-cpu)
	runtime.KeepAlive(n)
	return result, nil
}

// cpuTime returns the CPU time that the process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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

// readPicture reads a file.
func readPicture(path string, labels pictureLabels) (pictureFile, error) {
	data, err := os.ReadFile(path)
	return pictureFile{name: path, data: data, pictureLabels: labels}, err
}
