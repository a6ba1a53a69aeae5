package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// softLabels are the predictions of the teacher models for the rows of files, by file name
// (knowledge distillation).
type softLabels map[string]*fileLabels

// fileLabels are the teachers' predictions for one file.
type fileLabels struct {
	hash          [sha256.Size]byte // hash of the file
	index         []int32           // index of each row in probabilities, or -1 if unlabeled
	count         int               // number of labeled rows
	probabilities []byte            // in units of 1/255, ordered by output, then by row
}

// find returns the ten probabilities of row i of a file, and whether the row is labeled.
func (j softLabels) find(file string, i int) (probabilities [outputs]byte, ok bool) {
	f := j[file]
	if f == nil || i >= len(f.index) || f.index[i] < 0 {
		return probabilities, false
	}
	for k := range probabilities {
		probabilities[k] = f.probabilities[k*f.count+int(f.index[i])]
	}
	return probabilities, true
}

// readSoftLabels reads labels.bin.gz, whose layout models/teacher/README.md describes. If the file
// does not exist, no rows are labeled. The files in data must be the versions that were labeled.
func readSoftLabels(teacher, data string) (softLabels, error) {
	const name = "labels.bin.gz"
	raw, err := readGzip(filepath.Join(teacher, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j, err := parseSoftLabels(raw)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for file, labels := range j {
		name, _, _ := strings.Cut(file, "#")
		content, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			return nil, err
		}
		if sha256.Sum256(content) != labels.hash {
			return nil, fmt.Errorf("read %s: the labels are for another version of %s", name, file)
		}
	}
	return j, nil
}

func parseSoftLabels(raw []byte) (softLabels, error) {
	r := bytes.NewReader(raw)
	var head struct {
		Magic [4]byte
		Files uint32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil || string(head.Magic[:]) != "ESL1" {
		return nil, errors.New("not a file of soft labels")
	}
	j := softLabels{}
	for range head.Files {
		name, f, err := parseFileLabels(r)
		if err != nil {
			return nil, fmt.Errorf("file %d: %w", len(j)+1, err)
		}
		j[name] = f
	}
	return j, nil
}

func parseFileLabels(r *bytes.Reader) (name string, f *fileLabels, err error) {
	var length uint16
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
		return "", nil, err
	}
	f = new(fileLabels)
	title := make([]byte, length)
	var rows, count uint32
	for _, part := range []any{title, f.hash[:], &rows, &count} {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return "", nil, err
		}
	}
	if int(rows) > 8*r.Len() || int(count)*outputs > r.Len() {
		return "", nil, errors.New("the file is truncated")
	}
	bits := make([]byte, (rows+7)/8)
	f.probabilities, f.count = make([]byte, outputs*count), int(count)
	for _, part := range [][]byte{bits, f.probabilities} {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return "", nil, err
		}
	}
	return string(title), f, f.number(bits, int(rows))
}

// number assigns indexes to the rows whose bit is set.
func (f *fileLabels) number(bits []byte, rows int) error {
	next := int32(0)
	for i := range rows {
		place := int32(-1)
		if bits[i/8]>>(i%8)&1 != 0 {
			place = next
			next++
		}
		f.index = append(f.index, place)
	}
	if int(next) != f.count {
		return fmt.Errorf("%d rows are marked, want %d", next, f.count)
	}
	return nil
}

// distill moves the targets of t toward the teachers' predictions.
func (t *text) distill(probabilities [outputs]byte, s settings) {
	t.blendTarget(probabilities, 0, sentiments, s.DistillSentiment)
	t.blendTarget(probabilities, sentiments, outputs, s.DistillEmotion)
}

func (t *text) blendTarget(probabilities [outputs]byte, from, to int, trust float64) {
	var sum float64
	for _, probability := range probabilities[from:to] {
		sum += float64(probability)
	}
	if sum == 0 || t.weight[task(from)] == 0 {
		return
	}
	for k := from; k < to; k++ {
		t.target[k] = float32(float64((1-trust)*float64(t.target[k])) + float64(trust*float64(probabilities[k])/sum))
	}
}

// maxFragments is the number of fragments that a text may have.
const maxFragments = 2

// fragments returns the fragments of row i of a file that have soft labels. whole is the text of the
// row; t is the text made from it. Fragments teach how a few words combine.
func (j softLabels) fragments(t text, file string, i int, whole string, s settings) []text {
	var all []text
	for n := 1; n <= maxFragments; n++ {
		name := fmt.Sprintf("%s#%d", file, n)
		probabilities, ok := j.find(name, i)
		if !ok {
			continue
		}
		f := t
		f.part, f.fragment, f.labels = true, true, [outputs]bool{}
		f.text = strings.ReplaceAll(fragment(whole, name, i), "[PERSON]", "@person")
		for task := range f.weight {
			if t.weight[task] > 0 {
				f.weight[task] = float32(s.Fragments) * t.weight[task]
			}
		}
		f.blendTarget(probabilities, 0, sentiments, 1)
		f.blendTarget(probabilities, sentiments, outputs, 1)
		if f.text != "" {
			all = append(all, f)
		}
	}
	return all
}

// fragment returns two to eight consecutive words of row i of a file, or "" if it has no more words
// than that. The name of the fragments and i choose them.
func fragment(text, name string, i int) string {
	words := strings.Split(text, " ")
	h := int(crc32.ChecksumIEEE(fmt.Appendf(nil, "%s %d", name, i)))
	length := 2 + h%7
	if len(words) <= length {
		return ""
	}
	start := h / 7 % (len(words) - length + 1)
	return strings.Join(words[start:start+length], " ")
}
