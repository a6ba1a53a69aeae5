package onnx

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSideFile is the maximum size of a file next to a model. The tokenizer of a model for a hundred
// languages is 17 MB.
const maxSideFile = 64 << 20

// A folder locates a model and the files next to it.
type folder struct {
	model string
	dirs  []string  // where to look for files next to the model, in order
	sum   hash.Hash // of the contents of all files that were read
}

// openFolder finds the model in a folder, or uses path as the model file. Exports often store the
// model in a folder below the files that belong to it.
func openFolder(path string) (folder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return folder{}, err
	}
	if !info.IsDir() {
		dir := filepath.Dir(path)
		return folder{model: path, dirs: []string{dir, filepath.Dir(dir)}, sum: sha256.New()}, nil
	}
	for _, pattern := range []string{"model.onnx", "*.onnx", "onnx/model.onnx", "onnx/*.onnx"} {
		found, err := filepath.Glob(filepath.Join(path, pattern))
		if err != nil {
			return folder{}, err
		}
		if len(found) > 1 {
			return folder{}, fmt.Errorf("%s has %d models; specify the path of one", path, len(found))
		}
		if len(found) == 1 {
			return folder{model: found[0], dirs: []string{path, filepath.Dir(found[0])}, sum: sha256.New()}, nil
		}
	}
	return folder{}, fmt.Errorf("%s has no .onnx file", path)
}

func (f folder) readModel() (*modelFile, error) {
	data, err := readFile(f.model, maxFile)
	if err != nil {
		return nil, err
	}
	f.sum.Write(data)
	m, err := readModel(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.model, err)
	}
	return m, nil
}

// read returns the content of a file next to the model. The error wraps fs.ErrNotExist if there is
// none.
func (f folder) read(name string) ([]byte, error) {
	for _, dir := range f.dirs {
		data, err := readFile(filepath.Join(dir, name), maxSideFile)
		if !errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(f.sum, "%s %d ", name, len(data))
			f.sum.Write(data)
			return data, err
		}
	}
	return nil, fmt.Errorf("%s beside %s: %w", name, f.model, fs.ErrNotExist)
}

// readJSON decodes a file next to the model into v. It returns false if there is none.
func (f folder) readJSON(name string, v any) (bool, error) {
	data, err := f.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("read %s beside %s: %w", name, f.model, err)
	}
	return true, nil
}

// readSettings reads earshot.json, in which an operator configures a model. Unknown keys are an
// error, because they are mistakes that would otherwise go unnoticed.
func (f folder) readSettings(v any) error {
	data, err := f.read("earshot.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("read earshot.json beside %s: %w", f.model, err)
	}
	return nil
}

// readFile reads a regular file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file of at most %d MB", path, limit>>20)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}
