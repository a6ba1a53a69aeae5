// Package net looks at the pixels of images. It runs two small convolutional networks that are
// embedded in the program: SqueezeNet, which classifies a whole image, and NanoDet, which detects
// objects in it. It maps what they see to the classes of package vision.
//
// The networks recognize neither people nor their attributes: the only class of people is "person".
package net

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"slices"

	"earshot/internal/model/onnx"
	"earshot/internal/model/vision"
)

// Version is the version of the networks and of the rules that map their scores to classes.
const Version = vision.NetVersion

// maxRuns is the number of images that are classified at the same time; others wait. Each needs
// about 12 MB for intermediate results.
const maxRuns = 2

// The embedded networks. Package train generates them.
var (
	//go:embed squeezenet.onnx
	squeezeNet []byte
	//go:embed nanodet.onnx
	nanoDet []byte
)

// Networks classify images. They are safe for concurrent use, and use one core per image.
type Networks struct {
	classifier *onnx.Network
	detector   *onnx.Network
	classes    map[int64]vision.Class
	groups     []group
	actions    map[int64]vision.Class // by ID of the object that a person acts with
	buffers    chan *buffer           // maxRuns of them
}

// A Seen is a class that an image shows. [vision.Merge] combines it with alt text.
type Seen = vision.Seen

// A buffer holds what is needed to classify one image at a time.
type buffer struct {
	line   []uint8
	pic    picture
	scale  resampler
	input  []float32
	output []float32
	space  *onnx.Workspace
}

func newBuffer() *buffer { return &buffer{space: onnx.NewWorkspace()} }

// New returns the embedded networks.
func New() (*Networks, error) {
	n := &Networks{classes: map[int64]vision.Class{}, buffers: make(chan *buffer, maxRuns)}
	var err error
	if n.classifier, err = onnx.ReadNetwork(squeezeNet); err != nil {
		return nil, fmt.Errorf("read the embedded classifier: %w", err)
	}
	if n.detector, err = onnx.ReadNetwork(nanoDet); err != nil {
		return nil, fmt.Errorf("read the embedded detector: %w", err)
	}
	lists, err := vision.New()
	if err != nil {
		return nil, err
	}
	for _, c := range lists.Classes() {
		n.classes[c.ID] = c
	}
	if n.groups, err = readGroups(categoryList, lists); err != nil {
		return nil, err
	}
	var ok bool
	if n.actions, ok = findActions(lists.Classes()); !ok {
		return nil, errors.New("an activity has an unknown class")
	}
	for range maxRuns {
		n.buffers <- newBuffer()
	}
	return n, nil
}

// errNoPixels is returned for images without pixels.
var errNoPixels = errors.New("the image has no pixels")

// Classify returns the classes that an image shows, by descending score. Classes with equal scores
// are sorted by ID. The image may have any size; decoding it safely is up to the caller.
func (n *Networks) Classify(img image.Image) ([]Seen, error) {
	if img == nil || img.Bounds().Empty() {
		return nil, errNoPixels
	}
	b := <-n.buffers
	defer func() { n.buffers <- b }()
	e, err := n.look(b, img)
	if err != nil {
		return nil, err
	}
	seen := n.decide(e)
	slices.SortFunc(seen, func(a, b Seen) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Class.ID, b.Class.ID))
	})
	return seen, nil
}

// look runs both networks on an image, if it may be a photograph.
func (n *Networks) look(b *buffer, img image.Image) (*evidence, error) {
	b.line = b.pic.read(img, b.line)
	e := &evidence{medium: b.pic.medium()}
	if e.medium == graphic {
		return e, nil
	}
	if err := n.detect(b, e); err != nil {
		return nil, fmt.Errorf("detect objects: %w", err)
	}
	if err := n.categorize(b, e); err != nil {
		return nil, fmt.Errorf("classify the image: %w", err)
	}
	return e, nil
}

// Inputs of the networks.
var (
	classifierInput = normalization{mean: [3]float32{104, 117, 123}, scale: [3]float32{1, 1, 1}}
	detectorInput   = normalization{mean: [3]float32{103.53, 116.28, 123.675}, scale: [3]float32{0.017429, 0.017507, 0.017125}}
)

const (
	classifierSide = 227
	detectorSide   = 320
)

// categorize sets the probabilities of the categories of ImageNet. It looks at the whole picture,
// scaled to a square, because the important part of a picture in a post is often off center.
func (n *Networks) categorize(b *buffer, e *evidence) error {
	b.input = resized(b.input, 3*classifierSide*classifierSide)
	whole := image.Rect(0, 0, b.pic.width, b.pic.height)
	b.scale.draw(b.input, classifierSide, image.Rect(0, 0, classifierSide, classifierSide), &b.pic, whole, classifierInput)
	var err error
	b.output, err = n.classifier.Run(b.space, b.output[:0], b.input)
	e.categories = b.output
	return err
}

// detect sets the certainties of objects. The picture is scaled to fit.
func (n *Networks) detect(b *buffer, e *evidence) error {
	b.input = resized(b.input, 3*detectorSide*detectorSide)
	for c := range 3 {
		plane := b.input[c*detectorSide*detectorSide:][:detectorSide*detectorSide]
		for i := range plane { // black around the picture
			plane[i] = -detectorInput.mean[c] * detectorInput.scale[c]
		}
	}
	whole := image.Rect(0, 0, b.pic.width, b.pic.height)
	b.scale.draw(b.input, detectorSide, fit(b.pic.width, b.pic.height, detectorSide), &b.pic, whole, detectorInput)
	var err error
	if b.output, err = n.detector.Run(b.space, b.output[:0], b.input); err != nil {
		return err
	}
	for scores := b.output; len(scores) > 0; scores = scores[cocoClasses:] {
		class, certainty := certain(scores[:cocoClasses])
		e.objects[class] = max(e.objects[class], certainty)
	}
	return nil
}

// certain returns the class with the highest score at a position of the detector, and how certain it
// is: its score, less if another class scores nearly as high.
func certain(scores []float32) (class int, certainty float64) {
	var top, second float32
	for i, score := range scores {
		switch {
		case score > top:
			class, top, second = i, score, top
		case score > second:
			second = score
		}
	}
	return class, float64(top - second/2)
}

// cocoClasses is the number of classes of the detector. Class i has the ID i + 1.
const cocoClasses = 80
