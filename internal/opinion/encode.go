package opinion

import (
	"bytes"
	"encoding/gob"

	"earshot"
	"earshot/internal/quantify"
)

type file struct {
	Categories []earshot.CategoryID
	Width      int
	Unknown    uint8
	Steps      [blocks]float32
	Features   []uint32
	Rarity     []uint8
	Levels     []int8
	Sharpness  float64
	Tilt       []float64
	Lessons    []quantify.Lesson
	Report     Report
}

// AppendBinary appends the model in the form that Open reads.
func (m *Model) AppendBinary(dst []byte) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	t := &m.table
	err := gob.NewEncoder(b).Encode(file{m.Categories, t.width, t.unknown, t.steps, t.features, t.rarity, t.levels,
		m.calibration.sharpness, m.calibration.tilt, m.lessons, m.report})
	return b.Bytes(), err
}

// Open returns the model that AppendBinary wrote.
func Open(data []byte) (*Model, error) {
	var f file
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&f); err != nil {
		return nil, err
	}
	m := &Model{Categories: f.Categories, lessons: f.Lessons, report: f.Report}
	m.calibration = calibration{f.Sharpness, f.Tilt}
	m.table = table{width: f.Width, unknown: f.Unknown, steps: f.Steps, features: f.Features, rarity: f.Rarity, levels: f.Levels}
	m.table.arrange()
	return m, nil
}
