package train

import (
	"fmt"
	"os"
	"strconv"
)

// A network says how to convert an ncnn network to ONNX.
type network struct {
	graph, weights string // files in the data folder
	input          [3]int // channels, height and width
	output         string // name of the only output
	values         int    // number of values that it has

	// joined are outputs of the ncnn network that become one, one below the other.
	joined []string
}

// convert converts a network. Weights keep their type, so the result is as large as the original.
func (n network) convert() ([]byte, error) {
	layers, err := readGraph(n.graph)
	if err != nil {
		return nil, err
	}
	weights, err := os.ReadFile(n.weights)
	if err != nil {
		return nil, err
	}
	c := converter{network: n, weights: weightReader{weights}, sameAs: map[string]string{}, channels: map[string]int{}}
	for i := range layers {
		if err := c.layer(&layers[i]); err != nil {
			return nil, fmt.Errorf("convert %s: layer %s: %w", n.graph, layers[i].name, err)
		}
	}
	if len(c.weights.rest) != 0 {
		return nil, fmt.Errorf("convert %s: %d bytes of weights are left over", n.graph, len(c.weights.rest))
	}
	if n.joined != nil {
		c.out.node("Concat", n.joined, []string{n.output}, attribute{"axis", 0})
	}
	c.out.output(n.output, n.values)
	return c.out.model(), nil
}

// A converter holds the state of a conversion.
type converter struct {
	network
	weights  weightReader
	out      onnxGraph
	sameAs   map[string]string // names that ncnn's Split layers introduce
	channels map[string]int    // number of channels of a tensor
}

// name returns the ONNX name of a tensor.
func (c *converter) name(ncnn string) string {
	if original, ok := c.sameAs[ncnn]; ok {
		return original
	}
	return ncnn
}

// layer converts a layer.
func (c *converter) layer(l *ncnnLayer) error {
	in := make([]string, len(l.inputs))
	channels := 0
	for i, name := range l.inputs {
		in[i] = c.name(name)
		channels = c.channels[in[0]]
	}
	c.channels[l.outputs[0]] = channels
	switch l.kind {
	case "Input":
		c.channels[l.outputs[0]] = c.input[0]
		c.out.input(l.outputs[0], 1, c.input[0], c.input[1], c.input[2])
	case "Split":
		for _, name := range l.outputs {
			c.sameAs[name] = in[0]
		}
	case "Convolution", "ConvolutionDepthWise":
		return c.convolution(l, in[0], channels)
	case "Pooling":
		return c.pooling(l, in[0])
	case "Concat":
		total := 0
		for _, name := range in {
			total += c.channels[name]
		}
		c.channels[l.outputs[0]] = total
		c.out.node("Concat", in, l.outputs, attribute{"axis", 1})
	case "ShuffleChannel":
		return c.shuffle(l, in[0], channels)
	case "Slice":
		return c.slice(l, in[0], channels)
	case "Interp":
		return c.interpolate(l, in[0])
	case "BinaryOp":
		if kind, err := l.int(0, 0); err != nil || kind != 0 {
			return fmt.Errorf("only additions are supported")
		}
		c.out.node("Add", in, l.outputs)
	case "Sigmoid":
		c.out.node("Sigmoid", in, l.outputs)
	case "Softmax":
		c.out.node("Softmax", in, l.outputs, attribute{"axis", 1})
	case "Reshape":
		// Width and height: channels become rows, and pixels columns.
		size, err := l.ints(0, 1)
		if err != nil {
			return err
		}
		c.out.node("Reshape", []string{in[0], c.out.integers(l.name+".shape", size[1], size[0])}, l.outputs)
	case "Permute":
		c.out.node("Transpose", in, l.outputs, attribute{"perm", []int{1, 0}})
	default:
		return fmt.Errorf("layers of kind %s are not supported", l.kind)
	}
	return nil
}

// convolution converts a convolution with its bias and activation.
func (c *converter) convolution(l *ncnnLayer, in string, channels int) error {
	p, err := l.ints(0, 1, 4, 5, 6, 9)
	if err != nil {
		return err
	}
	count, size, pad, hasBias, total, activation := p[0], p[1], p[2], p[3], p[4], p[5]
	stride, errStride := l.int(3, 1)
	groups, errGroups := l.int(7, 1)
	if errStride != nil || errGroups != nil || hasBias != 1 || total != count*channels/groups*size*size {
		return fmt.Errorf("%d weights do not match %d filters of %d × %d pixels and %d channels", total, count, size, size, channels/groups)
	}
	dataType, filters, err := c.weights.filters(total)
	if err != nil {
		return err
	}
	bias, err := c.weights.biases(count)
	if err != nil {
		return err
	}
	inputs := []string{
		in,
		c.out.constant(l.name+".weight", dataType, filters, count, channels/groups, size, size),
		c.out.constant(l.name+".bias", typeFloat32, bias, count),
	}
	out := l.outputs[0]
	c.channels[out] = count
	convolved := out
	if activation != 0 {
		convolved += ".linear"
	}
	c.out.node("Conv", inputs, []string{convolved}, attribute{"kernel_shape", []int{size, size}},
		attribute{"strides", []int{stride, stride}}, attribute{"pads", []int{pad, pad, pad, pad}}, attribute{"group", groups})
	switch activation {
	case 0:
	case 1:
		c.out.node("Relu", []string{convolved}, []string{out})
	case 2:
		slope, err := l.list(-23310)
		if err != nil || len(slope) != 1 {
			return fmt.Errorf("invalid slope of the activation: %v", err)
		}
		c.out.node("LeakyRelu", []string{convolved}, []string{out}, attribute{"alpha", float32(slope[0])})
	default:
		return fmt.Errorf("activation %d is not supported", activation)
	}
	return nil
}

// pooling converts a maximum of windows, or the mean of whole channels.
func (c *converter) pooling(l *ncnnLayer, in string) error {
	p, err := l.ints(0, 1, 2, 3, 4, 5)
	if err != nil {
		return err
	}
	isMean, size, stride, pad, isGlobal, mode := p[0], p[1], p[2], p[3], p[4], p[5]
	switch {
	case isMean == 1 && isGlobal == 1:
		c.out.node("GlobalAveragePool", []string{in}, l.outputs)
	case isMean == 0 && isGlobal == 0 && mode <= 1:
		// Mode 0 adds windows that are partly outside, mode 1 does not.
		c.out.node("MaxPool", []string{in}, l.outputs, attribute{"kernel_shape", []int{size, size}},
			attribute{"strides", []int{stride, stride}}, attribute{"pads", []int{pad, pad, pad, pad}}, attribute{"ceil_mode", 1 - mode})
	default:
		return fmt.Errorf("only maxima of windows and means of channels are supported")
	}
	return nil
}

// shuffle converts a transposition of groups of channels to a selection of channels.
func (c *converter) shuffle(l *ncnnLayer, in string, channels int) error {
	groups, err := l.int(0, 1)
	if err != nil || groups < 1 || channels%groups != 0 {
		return fmt.Errorf("%d channels cannot be shuffled in %d groups", channels, groups)
	}
	order := make([]int, 0, channels)
	for i := range channels / groups {
		for g := range groups {
			order = append(order, g*(channels/groups)+i)
		}
	}
	c.out.node("Gather", []string{in, c.out.integers(l.name+".order", order...)}, l.outputs, attribute{"axis", 1})
	return nil
}

// slice converts a division of channels. The last part has the rest, which ncnn writes as -233.
func (c *converter) slice(l *ncnnLayer, in string, channels int) error {
	list, err := l.list(-23300)
	if err != nil {
		return err
	}
	if len(list) != len(l.outputs) || list[len(list)-1] != -233 {
		return fmt.Errorf("invalid parts %v", list)
	}
	sizes := make([]int, len(list))
	for i := range sizes {
		if sizes[i] = int(list[i]); i == len(sizes)-1 {
			sizes[i] = channels
		}
		channels -= sizes[i]
		c.channels[l.outputs[i]] = sizes[i]
	}
	c.out.node("Split", []string{in, c.out.integers(l.name+".sizes", sizes...)}, l.outputs, attribute{"axis", 1})
	return nil
}

// interpolate converts a bilinear change of size.
func (c *converter) interpolate(l *ncnnLayer, in string) error {
	mode, err := l.int(0, 0)
	if err != nil || mode != 2 {
		return fmt.Errorf("only bilinear interpolation is supported")
	}
	down, errDown := strconv.ParseFloat(l.params[1], 64)
	across, errAcross := strconv.ParseFloat(l.params[2], 64)
	if errDown != nil || errAcross != nil {
		return fmt.Errorf("invalid factors %q and %q", l.params[1], l.params[2])
	}
	scales := c.out.floats(l.name+".scales", 1, 1, down, across)
	c.out.node("Resize", []string{in, "", scales}, l.outputs, attribute{"mode", "linear"}, attribute{"coordinate_transformation_mode", "half_pixel"})
	return nil
}
