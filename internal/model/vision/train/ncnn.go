package train

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// An ncnnLayer is a line of an ncnn text graph:
//
//	Convolution conv1 1 1 data conv1_relu 0=64 1=3 3=2 5=1 6=1728 9=1
//
// that is kind, name, number of inputs and of outputs, their names, and numbered parameters.
type ncnnLayer struct {
	kind, name      string
	inputs, outputs []string
	params          map[int]string
}

// readGraph reads an ncnn text graph.
func readGraph(path string) ([]ncnnLayer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) < 3 || strings.TrimSpace(lines[0]) != "7767517" {
		return nil, fmt.Errorf("read %s: not an ncnn graph", path)
	}
	var layers []ncnnLayer
	for i, line := range lines[2:] {
		l, err := parseLayer(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("read %s, line %d: %w", path, i+3, err)
		}
		layers = append(layers, l)
	}
	return layers, nil
}

func parseLayer(fields []string) (l ncnnLayer, err error) {
	if len(fields) < 4 {
		return l, fmt.Errorf("%d fields, want at least 4", len(fields))
	}
	in, errIn := strconv.Atoi(fields[2])
	out, errOut := strconv.Atoi(fields[3])
	if errIn != nil || errOut != nil || in < 0 || out < 0 || len(fields) < 4+in+out {
		return l, fmt.Errorf("invalid numbers of inputs and outputs")
	}
	names, params := fields[4:4+in+out], fields[4+in+out:]
	l = ncnnLayer{kind: fields[0], name: fields[1], inputs: names[:in], outputs: names[in:], params: map[int]string{}}
	for _, p := range params {
		number, value, ok := strings.Cut(p, "=")
		key, err := strconv.Atoi(number)
		if !ok || err != nil {
			return l, fmt.Errorf("invalid parameter %q", p)
		}
		l.params[key] = value
	}
	return l, nil
}

// int returns a parameter, or a default if the layer does not have it.
func (l *ncnnLayer) int(key, otherwise int) (int, error) {
	text, ok := l.params[key]
	if !ok {
		return otherwise, nil
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s: parameter %d: %w", l.name, key, err)
	}
	return v, nil
}

// ints returns several parameters, which default to 0.
func (l *ncnnLayer) ints(keys ...int) ([]int, error) {
	values := make([]int, len(keys))
	for i, key := range keys {
		var err error
		if values[i], err = l.int(key, 0); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// list returns a parameter with several values, such as -23300=2,58,-233. The first is their number.
func (l *ncnnLayer) list(key int) ([]float64, error) {
	var values []float64
	for text := range strings.SplitSeq(l.params[key], ",") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: parameter %d: %w", l.name, key, err)
		}
		values = append(values, v)
	}
	if int(values[0]) != len(values)-1 {
		return nil, fmt.Errorf("%s: parameter %d has %d values, want %g", l.name, key, len(values)-1, values[0])
	}
	return values[1:], nil
}

// A weightReader reads the weights of a network in the order of its layers.
type weightReader struct{ rest []byte }

// Tags in front of the weights of a layer.
const (
	tagFloat32 = 0
	tagFloat16 = 0x01306B47
)

func (r *weightReader) take(n int) ([]byte, error) {
	if len(r.rest) < n {
		return nil, fmt.Errorf("the file of weights ends early")
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part, nil
}

// filters reads n tagged weights. It returns their type in ONNX files and their bytes.
func (r *weightReader) filters(n int) (dataType int, raw []byte, err error) {
	tag, err := r.take(4)
	if err != nil {
		return 0, nil, err
	}
	switch binary.LittleEndian.Uint32(tag) {
	case tagFloat32:
		raw, err = r.take(4 * n)
		return typeFloat32, raw, err
	case tagFloat16:
		raw, err = r.take((2*n + 3) / 4 * 4) // padded
		if err != nil {
			return 0, nil, err
		}
		return typeFloat16, raw[:2*n], nil
	}
	return 0, nil, fmt.Errorf("unknown tag of weights %x", tag)
}

// biases reads n untagged weights, which are float32.
func (r *weightReader) biases(n int) ([]byte, error) { return r.take(4 * n) }
