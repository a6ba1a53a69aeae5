// Package train builds what package vision and its networks embed: the list of classes, and the
// networks, converted from the format of ncnn to ONNX. It is not part of the service.
package train

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"earshot/internal/model/dataset"
)

// Build returns the files that package vision and the packages below it embed.
func Build(data string) (map[string][]byte, error) {
	classes, err := buildClasses(data)
	if err != nil {
		return nil, err
	}
	synsets, err := buildSynsets(filepath.Join(data, "vision", "synset_words.txt"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"classes.tsv": classes, "net/synsets.tsv": synsets}
	for name, n := range networks(filepath.Join(data, "vision")) {
		if files["net/"+name], err = n.convert(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// networks returns the networks in a folder, by the names of their files.
func networks(dir string) map[string]network {
	return map[string]network{
		"squeezenet.onnx": {
			graph: filepath.Join(dir, "squeezenet_v1.1.param"), weights: filepath.Join(dir, "squeezenet_v1.1.bin"),
			input: [3]int{3, 227, 227}, output: "prob", values: 1000,
		},
		// The scores of 80 classes at 40 × 40, 20 × 20 and 10 × 10 positions. Boxes are omitted,
		// because a post states what an image shows, not where.
		"nanodet.onnx": {
			graph: filepath.Join(dir, "nanodet_m.param"), weights: filepath.Join(dir, "nanodet_m.bin"),
			input: [3]int{3, 320, 320}, output: "scores", values: 2100 * 80, joined: []string{"792", "814", "836"},
		},
	}
}

// buildSynsets returns the categories of ImageNet in the order of the classifier's outputs: the ID of
// the synset and its first name.
func buildSynsets(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list bytes.Buffer
	for line := range strings.Lines(string(text)) {
		id, names, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil, fmt.Errorf("read %s: invalid line %q", path, line)
		}
		name, _, _ := strings.Cut(names, ",")
		fmt.Fprintf(&list, "%s\t%s\n", id, name)
	}
	return list.Bytes(), nil
}

// buildClasses returns the classes in the data folder, without their sources.
func buildClasses(data string) ([]byte, error) {
	path := filepath.Join(data, "lexicons", "image_classes.tsv.gz")
	var list bytes.Buffer
	n := 0
	for line, err := range dataset.Lines(path) {
		if err != nil {
			return nil, err
		}
		if n++; n == 1 { // the header
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) < 3 {
			return nil, fmt.Errorf("read %s: invalid class: %q", path, line)
		}
		fmt.Fprintf(&list, "%s\t%s\t%s\n", fields[0], fields[1], fields[2])
	}
	return list.Bytes(), nil
}
