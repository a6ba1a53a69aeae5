package opinion

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"

	"earshot"
	"earshot/internal/model/quantify"

	"github.com/klauspost/compress/zstd"
)

// maxModelBytes limits the uncompressed size of a saved model.
const maxModelBytes = 512 << 20

var errModel = errors.New("opinion: invalid or damaged model")

// Open decodes a model encoded by [Model.AppendBinary]. It returns an error if the data is damaged.
func Open(data []byte) (*Model, error) {
	if len(data) == 0 || data[0] != format {
		return nil, errModel
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxModelBytes))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := r.DecodeAll(data[1:], nil)
	if err != nil {
		return nil, errors.Join(errModel, err)
	}
	return openBody(body)
}

// openBody decodes a body encoded by appendBody.
func openBody(body []byte) (*Model, error) {
	d := decoder{rest: body}
	m := d.model()
	if d.failed || json.Unmarshal(d.rest, &m.report) != nil {
		return nil, errModel
	}
	m.table.buildIndex()
	return m, nil
}

// A decoder reads values from the front of rest. After a failure it returns zero values.
type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) model() *Model {
	m := &Model{Categories: make([]earshot.CategoryID, d.count(1))}
	if len(m.Categories) < 2 || len(m.Categories) > maxCategories {
		d.failed = true
		return m
	}
	m.calibration.bias = make([]float64, len(m.Categories))
	for k := range m.Categories {
		m.Categories[k] = earshot.CategoryID(d.varint())
		m.calibration.bias[k] = d.float()
	}
	m.calibration.scale = d.float()
	m.table = d.table(len(m.Categories))
	m.heldOut = d.heldOut(len(m.Categories))
	return m
}

func (d *decoder) table(width int) table {
	t := table{width: width}
	if head := d.take(1); head != nil {
		t.unknownIDF = head[0]
	}
	for b := range t.steps {
		t.steps[b] = float32(d.float())
	}
	t.features = make([]uint32, d.count(width+2))
	last := uint64(0)
	for i := range t.features {
		step := d.uvarint()
		last += step
		if step == 0 || last > math.MaxUint32 {
			d.failed = true
			return t
		}
		t.features[i] = uint32(last)
	}
	t.idf = d.take(len(t.features))
	t.levels = make([]int8, 0, len(t.features)*width)
	for _, level := range d.take(len(t.features) * width) {
		t.levels = append(t.levels, int8(level))
	}
	return t
}

func (d *decoder) heldOut(width int) []quantify.Example {
	examples := make([]quantify.Example, d.count(2+2*width))
	scores := make([]float32, 0, len(examples)*width)
	for i := range examples {
		class, document := d.uvarint(), d.uvarint()
		quantized := d.take(2 * width)
		if quantized == nil || class >= uint64(width) || document > maxModelBytes {
			d.failed = true
			return nil
		}
		for ; len(quantized) > 0; quantized = quantized[2:] {
			scores = append(scores, dequantize(binary.LittleEndian.Uint16(quantized)))
		}
		examples[i] = quantify.Example{Scores: scores[i*width:][:width:width], Category: int(class), Document: int(document)}
	}
	return examples
}

// count reads the number of items that follow. Each must have at least size bytes.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.rest)/size) {
		d.failed = true
		return 0
	}
	return int(n)
}

// take reads n bytes, or returns nil if there are fewer.
func (d *decoder) take(n int) []byte {
	if d.failed || n > len(d.rest) {
		d.failed = true
		return nil
	}
	taken := d.rest[:n:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.failed || n <= 0 {
		d.failed = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	if d.failed || n <= 0 {
		d.failed = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// float reads a float that is valid in a model: finite, and small enough that sums are finite too.
func (d *decoder) float() float64 {
	data := d.take(8)
	if data == nil {
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(data))
	if !(math.Abs(x) < 1e6) {
		d.failed = true
		return 0
	}
	return x
}
