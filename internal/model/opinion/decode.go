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

// maxModel is how large a saved model may be before it is compressed.
const maxModel = 512 << 20

var errModel = errors.New("opinion: not a saved model")

// Open returns the model that AppendBinary wrote. Damaged data gives an error.
func Open(data []byte) (*Model, error) {
	if len(data) == 0 || data[0] != form {
		return nil, errModel
	}
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxModel))
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

// openBody returns the model that appendBody wrote.
func openBody(body []byte) (*Model, error) {
	d := decoder{rest: body}
	m := d.model()
	if d.failed || json.Unmarshal(d.rest, &m.report) != nil {
		return nil, errModel
	}
	m.table.arrange()
	return m, nil
}

// A decoder takes one thing after another off the front of data. After a failure
// everything is nought.
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
	m.calibration.tilt = make([]float64, len(m.Categories))
	for k := range m.Categories {
		m.Categories[k] = earshot.CategoryID(d.varint())
		m.calibration.tilt[k] = d.fraction()
	}
	m.calibration.sharpness = d.fraction()
	m.table = d.table(len(m.Categories))
	m.heldOut = d.lessons(len(m.Categories))
	return m
}

func (d *decoder) table(width int) table {
	t := table{width: width}
	if head := d.take(1); head != nil {
		t.unknown = head[0]
	}
	for b := range t.steps {
		t.steps[b] = float32(d.fraction())
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
	t.rarity = d.take(len(t.features))
	t.levels = make([]int8, 0, len(t.features)*width)
	for _, level := range d.take(len(t.features) * width) {
		t.levels = append(t.levels, int8(level))
	}
	return t
}

func (d *decoder) lessons(width int) []quantify.Example {
	lessons := make([]quantify.Example, d.count(2+2*width))
	shares := make([]float32, 0, len(lessons)*width)
	for i := range lessons {
		class, document := d.uvarint(), d.uvarint()
		portions := d.take(2 * width)
		if portions == nil || class >= uint64(width) || document > maxModel {
			d.failed = true
			return nil
		}
		for ; len(portions) > 0; portions = portions[2:] {
			shares = append(shares, shareOf(binary.LittleEndian.Uint16(portions)))
		}
		lessons[i] = quantify.Example{Scores: shares[i*width:][:width:width], Category: int(class), Document: int(document)}
	}
	return lessons
}

// count takes how many things follow, of which each has size bytes or more.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.rest)/size) {
		d.failed = true
		return 0
	}
	return int(n)
}

// take takes n bytes, nil when there are fewer.
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

// fraction takes a fraction that a model may have: finite, and not so large that sums of
// it are not.
func (d *decoder) fraction() float64 {
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
