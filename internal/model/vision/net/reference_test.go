package net

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"earshot/internal/test/testenv"
)

// A volume is a tensor of the reference: channels of height × width, or rows × columns with one
// channel.
type volume struct {
	c, h, w int
	v       []float64
}

func newVolume(c, h, w int) *volume { return &volume{c, h, w, make([]float64, c*h*w)} }

// at returns an element. Positions outside are 0.
func (t *volume) at(c, y, x int) float64 {
	if y < 0 || x < 0 || y >= t.h || x >= t.w {
		return 0
	}
	return t.v[(c*t.h+y)*t.w+x]
}

// reference runs an ncnn network as its documentation defines the layers: with float64, without any
// optimization, and directly from the original files.
func reference(t *testing.T, name string, in *volume) map[string]*volume {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pictures, "..", name+".param"))
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(pictures, "..", name+".bin"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]*volume{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[2:] {
		f := strings.Fields(line)
		inputs, _ := strconv.Atoi(f[2])
		outputs, _ := strconv.Atoi(f[3])
		names, rest := f[4:], f[4+inputs+outputs:]
		l := &referenceLayer{kind: f[0], params: map[string]float64{}, outputs: outputs, weights: &weights}
		for _, p := range rest {
			key, value, _ := strings.Cut(p, "=")
			for i, v := range strings.Split(value, ",") {
				if l.params[key], err = strconv.ParseFloat(v, 64); err != nil {
					t.Fatal(err)
				}
				if i == 1 {
					break // the first value of a list
				}
			}
		}
		for _, name := range names[:inputs] {
			l.in = append(l.in, values[name])
		}
		if f[0] == "Input" {
			l.in = []*volume{in}
		}
		for i, out := range l.run() {
			values[names[inputs+i]] = out
		}
	}
	if len(weights) != 0 {
		t.Fatalf("%s: %d bytes of weights are left", name, len(weights))
	}
	return values
}

type referenceLayer struct {
	kind    string
	params  map[string]float64
	in      []*volume
	outputs int
	weights *[]byte
}

func (l *referenceLayer) int(key string) int { return int(l.params[key]) }

func (l *referenceLayer) run() []*volume {
	in := l.in[0]
	switch l.kind {
	case "Input", "Split":
		all := make([]*volume, l.outputs)
		for i := range all {
			all[i] = in
		}
		return all
	case "Convolution", "ConvolutionDepthWise":
		return []*volume{l.convolve(in)}
	case "Pooling":
		return []*volume{l.pool(in)}
	case "Concat":
		out := &volume{h: in.h, w: in.w}
		for _, part := range l.in {
			out.c += part.c
			out.v = append(out.v, part.v...)
		}
		return []*volume{out}
	case "ShuffleChannel":
		out := newVolume(in.c, in.h, in.w)
		groups, plane := l.int("0"), in.h*in.w
		for c := range in.c {
			to := c%(in.c/groups)*groups + c/(in.c/groups)
			copy(out.v[to*plane:], in.v[c*plane:(c+1)*plane])
		}
		return []*volume{out}
	case "Slice":
		first, plane := l.int("-23300"), in.h*in.w
		return []*volume{{first, in.h, in.w, in.v[:first*plane]}, {in.c - first, in.h, in.w, in.v[first*plane:]}}
	case "Interp":
		return []*volume{interpolate(in, l.params["1"], l.params["2"])}
	case "BinaryOp":
		out := newVolume(in.c, in.h, in.w)
		for i := range out.v {
			out.v[i] = in.v[i] + l.in[1].v[i]
		}
		return []*volume{out}
	case "Sigmoid":
		out := newVolume(in.c, in.h, in.w)
		for i, v := range in.v {
			out.v[i] = 1 / (1 + math.Exp(-v))
		}
		return []*volume{out}
	case "Softmax":
		return []*volume{softmax(in)}
	case "Reshape":
		return []*volume{{1, l.int("1"), len(in.v) / l.int("1"), in.v}}
	case "Permute":
		out := newVolume(1, in.w, in.h)
		for y := range out.h {
			for x := range out.w {
				out.v[y*out.w+x] = in.at(0, x, y)
			}
		}
		return []*volume{out}
	}
	panic("no layer " + l.kind)
}

func (l *referenceLayer) convolve(in *volume) *volume {
	count, size, pad, groups, stride := l.int("0"), l.int("1"), l.int("4"), max(l.int("7"), 1), max(l.int("3"), 1)
	filters, biases := l.readFilters(l.int("6")), l.readBiases(count)
	out := newVolume(count, (in.h+2*pad-size)/stride+1, (in.w+2*pad-size)/stride+1)
	per := in.c / groups
	for f := range count {
		first := f / (count / groups) * per
		for y := range out.h {
			for x := range out.w {
				sum := biases[f]
				for c := range per {
					for i := range size {
						for j := range size {
							sum += filters[((f*per+c)*size+i)*size+j] * in.at(first+c, y*stride+i-pad, x*stride+j-pad)
						}
					}
				}
				if sum < 0 {
					switch l.int("9") {
					case 1:
						sum = 0
					case 2:
						sum *= l.params["-23310"]
					}
				}
				out.v[(f*out.h+y)*out.w+x] = sum
			}
		}
	}
	return out
}

func (l *referenceLayer) readFilters(n int) []float64 {
	data, filters := *l.weights, make([]float64, n)
	if tag := binary.LittleEndian.Uint32(data); tag != 0x01306B47 {
		panic(fmt.Sprintf("tag %x", tag))
	}
	for i := range filters {
		filters[i] = half(binary.LittleEndian.Uint16(data[4+2*i:]))
	}
	*l.weights = data[4+(2*n+3)/4*4:]
	return filters
}

func (l *referenceLayer) readBiases(n int) []float64 {
	biases := make([]float64, n)
	for i := range biases {
		biases[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32((*l.weights)[4*i:])))
	}
	*l.weights = (*l.weights)[4*n:]
	return biases
}

// half returns the value of a 16-bit number: 1 bit of sign, 5 of exponent, 10 of fraction.
func half(h uint16) float64 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)/1024
	if exponent == 0 {
		return sign * math.Ldexp(fraction, -14)
	}
	return sign * math.Ldexp(1+fraction, exponent-15)
}

func (l *referenceLayer) pool(in *volume) *volume {
	if l.int("4") == 1 {
		out := newVolume(in.c, 1, 1)
		for i, v := range in.v {
			out.v[i/(in.h*in.w)] += v / float64(in.h*in.w)
		}
		return out
	}
	size, stride, pad := l.int("1"), l.int("2"), l.int("3")
	count := func(length int) int {
		room := length + 2*pad - size
		if l.int("5") == 0 {
			room += stride - 1
		}
		return room/stride + 1
	}
	out := newVolume(in.c, count(in.h), count(in.w))
	for i := range out.v {
		c, y, x := i/(out.h*out.w), i/out.w%out.h, i%out.w
		out.v[i] = math.Inf(-1)
		for fromY := max(y*stride-pad, 0); fromY < min(y*stride-pad+size, in.h); fromY++ {
			for fromX := max(x*stride-pad, 0); fromX < min(x*stride-pad+size, in.w); fromX++ {
				out.v[i] = max(out.v[i], in.at(c, fromY, fromX))
			}
		}
	}
	return out
}

func interpolate(in *volume, down, across float64) *volume {
	out := newVolume(in.c, int(float64(in.h)*down), int(float64(in.w)*across))
	clamp := func(v float64, size int) float64 { return math.Max(0, math.Min(v, float64(size-1))) }
	for i := range out.v {
		c, y, x := i/(out.h*out.w), i/out.w%out.h, i%out.w
		fy, fx := clamp((float64(y)+0.5)/down-0.5, in.h), clamp((float64(x)+0.5)/across-0.5, in.w)
		y0, x0 := int(fy), int(fx)
		fy, fx = fy-float64(y0), fx-float64(x0)
		out.v[i] = (1-fy)*((1-fx)*in.at(c, y0, x0)+fx*in.at(c, y0, x0+1)) + fy*((1-fx)*in.at(c, y0+1, x0)+fx*in.at(c, y0+1, x0+1))
	}
	return out
}

func softmax(in *volume) *volume {
	out, sum, top := newVolume(in.c, in.h, in.w), 0.0, math.Inf(-1)
	for _, v := range in.v {
		top = max(top, v)
	}
	for i, v := range in.v {
		out.v[i] = math.Exp(v - top)
		sum += out.v[i]
	}
	for i := range out.v {
		out.v[i] /= sum
	}
	return out
}

// compare compares the output of a network with the reference.
func compare(t *testing.T, name string, got []float32, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", name, len(got), len(want))
	}
	worst, at := 0.0, 0
	for i := range got {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= worst) {
			worst, at = d, i
		}
	}
	if worst > 1e-3 {
		t.Errorf("%s: value %d: got %g, want %g", name, at, got[at], want[at])
	}
	t.Logf("%s: the largest difference of %d values is %.2g", name, len(got), worst)
}

var update = flag.Bool("update", false, "rewrite the outputs of the reference in testdata")

// sampled returns at most 2,000 values: enough to notice a wrong layer.
func sampled[T any](values []T) (some []T) {
	for i := 0; i < len(values); i += 1 + len(values)/2000 {
		some = append(some, values[i])
	}
	return some
}

// stored returns some outputs of the reference, which takes seconds for a picture. With -update it
// writes them, and with -long it computes them again.
func stored(t *testing.T, name string, compute func() []float64) (want []float64) {
	t.Helper()
	file := filepath.Join("testdata", name+".json")
	if testenv.Long() || *update {
		want = sampled(compute())
	}
	if *update {
		text, err := json.Marshal(want)
		if err == nil {
			err = os.WriteFile(file, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if want != nil {
		return want
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func TestNetworksMatchReference(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dog.jpg", "chelsea.png"} {
		b := newBuffer()
		b.pic.read(load(t, name), nil)
		input := func(side int) *volume {
			in := newVolume(3, side, side)
			for i, v := range b.input {
				in.v[i] = float64(v)
			}
			return in
		}
		var e evidence
		if err := n.categorize(b, &e); err != nil {
			t.Fatal(err)
		}
		compare(t, "SqueezeNet, "+name, sampled(e.categories), stored(t, "squeezenet-"+name, func() []float64 {
			return reference(t, "squeezenet_v1.1", input(classifierSide))["prob"].v
		}))

		if err := n.detect(b, &e); err != nil {
			t.Fatal(err)
		}
		compare(t, "NanoDet, "+name, sampled(b.output), stored(t, "nanodet-"+name, func() (want []float64) {
			values := reference(t, "nanodet_m", input(detectorSide))
			for _, output := range []string{"792", "814", "836"} {
				want = append(want, values[output].v...)
			}
			return want
		}))
	}
}
