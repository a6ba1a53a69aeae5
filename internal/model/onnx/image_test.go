package onnx

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"testing"
)

// plain returns an image of one color.
func plain(w, h int, c color.Color) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

// colorGraph returns a model that finds the dominant color among red, green and blue. Its input
// has the channels in the second or in the last dimension.
func colorGraph(last bool) *graph {
	g := &graph{}
	shape, axes := []int{1, 3, 4, 4}, []int{2, 3}
	if last {
		shape, axes = []int{1, 4, 4, 3}, []int{1, 2}
	}
	x := g.input("image", typeFloat32, shape...)
	mean := g.op("ReduceMean", []string{x}, attribute{"axes", axes}, attribute{"keepdims", 0})
	g.output(g.op("Mul", []string{mean, g.weights([]float32{10})}), "scores")
	return g
}

const colorSettings = `{"mean":[0,0,0],"std":[1,1,1],"minScore":0.01,"top":2}`

func TestClassify(t *testing.T) {
	for _, last := range []bool{false, true} {
		dir := colorGraph(last).save(t, map[string]string{"labels.txt": "red\ngreen\nblue\n", "earshot.json": colorSettings})
		model, err := OpenImage(dir, ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := model.Classify(plain(30, 20, color.RGBA{0, 255, 204, 255}))
		if err != nil {
			t.Fatal(err)
		}
		total := math.Exp(0) + math.Exp(10) + math.Exp(8)
		want := []Prediction{{"green", float32(math.Exp(10) / total)}, {"blue", float32(math.Exp(8) / total)}}
		if len(got) != 2 || got[0].Label != want[0].Label || got[1].Label != want[1].Label ||
			math.Abs(float64(got[0].Score-want[0].Score)) > 1e-3 || math.Abs(float64(got[1].Score-want[1].Score)) > 1e-3 {
			t.Errorf("channels last %v: got %v, want %v", last, got, want)
		}
	}
}

func TestVersionOfImageModel(t *testing.T) {
	version := func(g *graph, labels, settings string) string {
		t.Helper()
		model, err := OpenImage(g.save(t, map[string]string{"labels.txt": labels, "earshot.json": settings}), ImageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return model.Version()
	}
	const labels = "red\ngreen\nblue\n"
	first := version(colorGraph(false), labels, colorSettings)
	if again := version(colorGraph(false), labels, colorSettings); again != first || len(first) != 16 {
		t.Errorf("the same model in another directory: got %q and %q", first, again)
	}
	for name, other := range map[string]string{
		"weights":  version(colorGraph(true), labels, colorSettings),
		"labels":   version(colorGraph(false), "red\ngreen\nsky\n", colorSettings),
		"settings": version(colorGraph(false), labels, `{"mean":[0,0,0],"std":[1,1,1]}`),
	} {
		if other == first {
			t.Errorf("with other %s: got the same version", name)
		}
	}
}

func TestCenterOfImageIsClassified(t *testing.T) {
	dir := colorGraph(false).save(t, map[string]string{"labels.txt": "red\ngreen\nblue\n", "earshot.json": `{"mean":[0,0,0],"std":[1,1,1],"resize":4}`})
	model, err := OpenImage(dir, ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wide := image.NewRGBA(image.Rect(10, 10, 310, 110)) // red, except for the square in the center
	draw.Draw(wide, wide.Bounds(), image.NewUniform(color.RGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
	draw.Draw(wide, image.Rect(110, 10, 210, 110), image.NewUniform(color.RGBA{0, 0, 255, 255}), image.Point{}, draw.Src)
	got, err := model.Classify(wide)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Label != "blue" || got[0].Score < 0.999 {
		t.Errorf("got %v, want blue alone", got)
	}
}

func TestSmallNet(t *testing.T) {
	g := mobile(4, 2, 3)
	dir := g.save(t, map[string]string{
		"config.json":              `{"id2label":{"0":"cat","1":"dog","2":"car"}}`,
		"preprocessor_config.json": `{"size":{"shortest_edge":36},"do_center_crop":true,"crop_size":{"height":32,"width":32},"image_mean":[0.5,0.5,0.5],"image_std":[0.5,0.5,0.5]}`,
	})
	model, err := OpenImage(dir, ImageOptions{Top: 1})
	if err != nil {
		t.Fatal(err)
	}
	if o := model.opts; o.Width != 32 || o.Height != 32 || o.Resize != 36 || o.Mean[0] != 0.5 || o.Std[2] != 0.5 {
		t.Errorf("options: got %+v, want those of preprocessor_config.json", o)
	}
	for _, size := range []image.Point{{1, 1}, {1, 500}, {640, 480}} {
		got, err := model.scores(plain(size.X, size.Y, color.Gray{99}))
		if err != nil {
			t.Fatal(err)
		}
		if total := sum(got); len(got) != 3 || math.Abs(float64(total)-1) > 1e-5 {
			t.Errorf("%v: got %v, want three shares", size, got)
		}
	}
	if _, err := model.Classify(image.NewGray(image.Rectangle{})); err == nil {
		t.Error("an image without pixels: got no error")
	}
}

func TestOpenImageErrors(t *testing.T) {
	f := func(name string, g *graph, settings, want string) {
		t.Helper()
		dir := g.save(t, map[string]string{"labels.txt": "red\ngreen\nblue\n", "earshot.json": settings})
		if _, err := OpenImage(dir, ImageOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	f("too large", mobile(2, 1, 3), `{"width":100000,"height":10}`, "sides must be from 1 to 1024")
	f("zero std", colorGraph(false), `{"std":[0,1,1]}`, "must be three numbers above 0")
	f("a text model", newBert(1, 4, 2, 3).graph(), `{}`, "an image model with 2 inputs")
	gray := &graph{}
	gray.output(gray.input("x", typeFloat32, 1, 1, 28, 28), "y")
	f("one channel", gray, `{}`, "images with 1 color channels")
}

// BenchmarkMobile runs a net with 340 million multiplications, about as many as MobileNet v2, on an
// image of 224 × 224.
func BenchmarkMobile(b *testing.B) {
	g := mobile(96, 5, 1000)
	m, err := readModel(g.file())
	if err != nil {
		b.Fatal(err)
	}
	p, err := compile(m, "logits", defaultLimits)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.run([]*tensor{floats(make([]float32, 3*224*224), 1, 3, 224, 224)}); err != nil {
			b.Fatal(err)
		}
	}
}
