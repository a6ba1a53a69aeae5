package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// judgements are what teachers think of the rows of files, by the file's name.
type judgements map[string]*judged

// A judged is what teachers think of the rows of one file.
type judged struct {
	hash   [sha256.Size]byte // of the file
	places []int32           // of rows in shares, -1 for those that were not judged
	count  int               // of rows that were
	shares []byte            // in 255ths: all of the first output, all of the second, ...
}

// of returns the ten shares of row i of a file, false when it was not judged.
func (j judgements) of(file string, i int) (shares [outputs]byte, ok bool) {
	f := j[file]
	if f == nil || i >= len(f.places) || f.places[i] < 0 {
		return shares, false
	}
	for k := range shares {
		shares[k] = f.shares[k*f.count+int(f.places[i])]
	}
	return shares, true
}

// readJudgements reads labels.bin.gz; models/teacher/README.md has the layout. Without
// the file nothing was judged. The files of data must be those that were.
func readJudgements(teacher, data string) (judgements, error) {
	const name = "labels.bin.gz"
	raw, err := readGzip(filepath.Join(teacher, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j, err := parseJudgements(raw)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for file, judged := range j {
		content, err := os.ReadFile(filepath.Join(data, file))
		if err != nil {
			return nil, err
		}
		if sha256.Sum256(content) != judged.hash {
			return nil, fmt.Errorf("read %s: it judges another %s than there is", name, file)
		}
	}
	return j, nil
}

func parseJudgements(raw []byte) (judgements, error) {
	r := bytes.NewReader(raw)
	var head struct {
		Magic [4]byte
		Files uint32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil || string(head.Magic[:]) != "ESL1" {
		return nil, errors.New("not judgements")
	}
	j := judgements{}
	for range head.Files {
		name, f, err := parseJudged(r)
		if err != nil {
			return nil, fmt.Errorf("file %d: %w", len(j)+1, err)
		}
		j[name] = f
	}
	return j, nil
}

func parseJudged(r *bytes.Reader) (name string, f *judged, err error) {
	var length uint16
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
		return "", nil, err
	}
	f = new(judged)
	title := make([]byte, length)
	var rows, count uint32
	for _, part := range []any{title, f.hash[:], &rows, &count} {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return "", nil, err
		}
	}
	if int(rows) > 8*r.Len() || int(count)*outputs > r.Len() {
		return "", nil, errors.New("it is cut")
	}
	bits := make([]byte, (rows+7)/8)
	f.shares, f.count = make([]byte, outputs*count), int(count)
	for _, part := range [][]byte{bits, f.shares} {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return "", nil, err
		}
	}
	return string(title), f, f.number(bits, int(rows))
}

// number numbers the rows whose bit is set.
func (f *judged) number(bits []byte, rows int) error {
	next := int32(0)
	for i := range rows {
		place := int32(-1)
		if bits[i/8]>>(i%8)&1 != 0 {
			place = next
			next++
		}
		f.places = append(f.places, place)
	}
	if int(next) != f.count {
		return fmt.Errorf("%d rows are marked, not %d", next, f.count)
	}
	return nil
}

// listen moves what is wanted of t towards a teacher's judgement.
func (t *text) listen(shares [outputs]byte, s settings) {
	t.blend(shares, 0, sentiments, s.TrustSentiment)
	t.blend(shares, sentiments, outputs, s.TrustEmotion)
}

func (t *text) blend(shares [outputs]byte, from, to int, trust float64) {
	var sum float64
	for _, share := range shares[from:to] {
		sum += float64(share)
	}
	if sum == 0 || t.weight[task(from)] == 0 {
		return
	}
	for k := from; k < to; k++ {
		t.want[k] = float32(float64((1-trust)*float64(t.want[k])) + float64(trust*float64(shares[k])/sum))
	}
}
