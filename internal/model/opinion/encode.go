package opinion

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"
)

// The form of a saved model: a byte that names the form, then what follows, compressed.
// Whole numbers are varints, fractions the bits of their float64. First the categories
// and the calibration, then the table with its features as differences, then the
// lessons with shares of two bytes, and the report as JSON.
const form = 1

// AppendBinary appends the model in the form that Open reads. The same model gives the
// same bytes.
func (m *Model) AppendBinary(dst []byte) ([]byte, error) {
	body, err := m.appendBody(nil)
	if err != nil {
		return dst, err
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return dst, err
	}
	return w.EncodeAll(body, append(dst, form)), nil
}

// appendBody appends what is compressed.
func (m *Model) appendBody(body []byte) ([]byte, error) {
	body = binary.AppendUvarint(body, uint64(len(m.Categories)))
	for k, id := range m.Categories {
		body = binary.AppendVarint(body, int64(id))
		body = appendFraction(body, m.calibration.tilt[k])
	}
	body = appendFraction(body, m.calibration.sharpness)
	body = m.table.append(body)
	body = binary.AppendUvarint(body, uint64(len(m.heldOut)))
	for _, l := range m.heldOut {
		body = binary.AppendUvarint(body, uint64(l.Category))
		body = binary.AppendUvarint(body, uint64(l.Document))
		for _, share := range l.Scores {
			body = binary.LittleEndian.AppendUint16(body, portion(share))
		}
	}
	report, err := json.Marshal(m.report)
	if err != nil {
		return nil, fmt.Errorf("opinion: write the report of a model: %w", err)
	}
	return append(body, report...), nil
}

func appendFraction(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}

// append appends the table.
func (t *table) append(dst []byte) []byte {
	dst = append(dst, t.unknown)
	for _, step := range t.steps {
		dst = appendFraction(dst, float64(step))
	}
	dst = binary.AppendUvarint(dst, uint64(len(t.features)))
	last := uint32(0)
	for _, f := range t.features {
		dst = binary.AppendUvarint(dst, uint64(f-last))
		last = f
	}
	dst = append(dst, t.rarity...)
	for _, level := range t.levels {
		dst = append(dst, byte(level))
	}
	return dst
}

// wholePortion is the portion that a share of 1 is kept as.
const wholePortion = math.MaxUint16

// portion returns the number that a share is kept as in a lesson.
func portion(share float32) uint16 {
	return uint16(math.Round(float64(min(max(share, 0), 1)) * wholePortion))
}

// shareOf returns the share that a portion stands for.
func shareOf(portion uint16) float32 { return float32(portion) / wholePortion }
