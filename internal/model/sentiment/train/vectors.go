package train

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"earshot/internal/model/classify"
)

// findTeacher returns the folder models/teacher of the repository that contains the working
// directory.
func findTeacher() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "models", "teacher"), nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("models/teacher not found; run this inside the repository")
		}
		dir = filepath.Dir(dir)
	}
}

// vectors maps word hashes to word vectors.
type vectors map[uint64][]float32

const dims = 64 // dimensions of a word vector

// readVectors reads English word vectors. models/teacher/README.md describes the layout.
func readVectors(teacher string) (vectors, error) {
	const name = "vectors.bin.gz"
	data, err := readGzip(filepath.Join(teacher, name))
	if err != nil {
		return nil, err
	}
	if len(data) < 20 || string(data[:4]) != "EWV1" || binary.LittleEndian.Uint32(data[8:]) != dims {
		return nil, fmt.Errorf("read %s: not a file of word vectors with %d dimensions", name, dims)
	}
	count, listing := int(binary.LittleEndian.Uint32(data[4:])), int(binary.LittleEndian.Uint32(data[12:]))
	scale := math.Float32frombits(binary.LittleEndian.Uint32(data[16:]))
	if len(data) != 20+listing+dims*count {
		return nil, fmt.Errorf("read %s: the file is truncated", name)
	}
	words := strings.Split(strings.TrimSuffix(string(data[20:20+listing]), "\n"), "\n")
	body := data[20+listing:]
	v := vectors{}
	for i, word := range words {
		vector := make([]float32, dims)
		for d := range vector {
			vector[d] = float32(int8(body[d*count+i])) * scale
		}
		v[classify.Hash(word)] = vector
	}
	return v, nil
}

func readGzip(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzipped)
}
