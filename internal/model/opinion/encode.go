package opinion

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"
)

// A saved model is a format byte followed by a zstd-compressed body. Integers are varints; floats
// are the bits of a float64. The body contains the categories with their biases, the scale of the
// calibration, the table with delta-encoded features, the held-out examples with two-byte scores,
// and the report as JSON.
const format = 1

// AppendBinary appends the encoded model to dst. Encoding is deterministic.
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

// appendBody appends the uncompressed body.
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
		return nil, fmt.Errorf("opinion: encode the report: %w", err)
	}
	return append(body, report...), nil
}

func appendFloat(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}

// append appends the encoded table to dst.
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

// quantize encodes the score of an example in two bytes.
func quantize(score float32) uint16 {
	return uint16(math.Round(float64(min(max(score, 0), 1)) * maxQuantized))
}

// dequantize is the inverse of quantize, up to rounding.
func dequantize(quantized uint16) float32 { return float32(quantized) / maxQuantized }
