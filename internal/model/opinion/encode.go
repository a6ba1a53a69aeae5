package opinion

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"
)

// A saved model is a byte that names the format, then the rest, zstd-compressed. Integers are
// varints, floats the bits of their float64. First come the categories and the calibration, then
// the table with its features as differences, then the held-out examples with scores of two bytes,
// and the report as JSON.
const format = 1

// AppendBinary appends the encoded model. The same model gives the same bytes.
func (m *Model) AppendBinary(dst []byte) ([]byte, error) {
	body, err := m.appendBody(nil)
	if err != nil {
		return dst, err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return dst, err
	}
	return w.EncodeAll(body, append(dst, format)), nil
}

// appendBody appends the part that is compressed.
func (m *Model) appendBody(body []byte) ([]byte, error) {
	body = binary.AppendUvarint(body, uint64(len(m.Categories)))
	for k, id := range m.Categories {
		body = binary.AppendVarint(body, int64(id))
		body = appendFloat(body, m.calibration.bias[k])
	}
	body = appendFloat(body, m.calibration.scale)
	body = m.table.append(body)
	body = binary.AppendUvarint(body, uint64(len(m.heldOut)))
	for _, x := range m.heldOut {
		body = binary.AppendUvarint(body, uint64(x.Category))
		body = binary.AppendUvarint(body, uint64(x.Document))
		for _, score := range x.Scores {
			body = binary.LittleEndian.AppendUint16(body, quantize(score))
		}
	}
	report, err := json.Marshal(m.report)
	if err != nil {
		return nil, fmt.Errorf("opinion: write the report of a model: %w", err)
	}
	return append(body, report...), nil
}

func appendFloat(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}

// append appends the encoded table.
func (t *table) append(dst []byte) []byte {
	dst = append(dst, t.unknownIDF)
	for _, step := range t.steps {
		dst = appendFloat(dst, float64(step))
	}
	dst = binary.AppendUvarint(dst, uint64(len(t.features)))
	last := uint32(0)
	for _, f := range t.features {
		dst = binary.AppendUvarint(dst, uint64(f-last))
		last = f
	}
	dst = append(dst, t.idf...)
	for _, level := range t.levels {
		dst = append(dst, byte(level))
	}
	return dst
}

// maxQuantized is the quantized score of 1.
const maxQuantized = math.MaxUint16

// quantize returns the two bytes by which the score of an example is saved.
func quantize(score float32) uint16 {
	return uint16(math.Round(float64(min(max(score, 0), 1)) * maxQuantized))
}

// dequantize returns the score that quantize gave.
func dequantize(quantized uint16) float32 { return float32(quantized) / maxQuantized }
