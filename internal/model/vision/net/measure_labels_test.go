package net_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"earshot/internal/model/vision"
	"earshot/internal/model/vision/net"
)

// pictureLabels are what a picture shows. Unlabeled pictures have neither.
type pictureLabels struct {
	classes    []string // everything that it shows, as names of classes; complete
	optional   []string // classes that are right as well, but not missed
	categories []int    // categories of ImageNet, any of which is right
}

// labelFile is the file with the labels of the pictures in a directory.
const labelFile = "labels.tsv"

// readPictures reads the pictures in a directory, or those that a file of labels lists.
func readPictures(path string) ([]pictureFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return readLabelFile(path)
	}
	files, err := readLabelFile(filepath.Join(path, labelFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return files, err
	}
	return readDirectory(path)
}

// readLabelFile reads a file of labels and the pictures that it lists. A line has the path of a
// picture, relative to the file; the names of all classes that the picture shows, separated by
// commas; and optionally the numbers or synsets of the categories of ImageNet that are right. A class
// with a question mark is right as well, but not missed:
//
//	dog.jpg	dog, bicycle, car, animal?	248, n02109961
func readLabelFile(path string) ([]pictureFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var files []pictureFile
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		fields := append(strings.Split(line, "\t"), "", "")
		var labels pictureLabels
		for _, name := range splitList(fields[1]) {
			if name, isOptional := strings.CutSuffix(name, "?"); isOptional {
				labels.optional = append(labels.optional, name)
			} else {
				labels.classes = append(labels.classes, name)
			}
		}
		for _, category := range splitList(fields[2]) {
			number, err := categoryNumber(category)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", path, err)
			}
			labels.categories = append(labels.categories, number)
		}
		f, err := readPicture(filepath.Join(filepath.Dir(path), filepath.FromSlash(fields[0])), labels)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		files = append(files, f)
	}
	return files, nil
}

// splitList splits a list at commas.
func splitList(list string) []string {
	var items []string
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// categoryNumber returns the number of a category of ImageNet, given as a number or as a synset.
func categoryNumber(text string) (int, error) {
	categories := net.Categories()
	if number, err := strconv.Atoi(text); err == nil && number >= 0 && number < len(categories) {
		return number, nil
	}
	at := slices.IndexFunc(categories, func(c net.Category) bool { return c.Synset == text })
	if at < 0 {
		return 0, fmt.Errorf("unknown category of ImageNet: %q", text)
	}
	return at, nil
}

// readDirectory reads the pictures in a directory and below it. Names such as
// "n02123045_1234.JPEG", or directories named after a synset, give the category.
func readDirectory(dir string) ([]pictureFile, error) {
	var files []pictureFile
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isPicture(path) {
			return err
		}
		var labels pictureLabels
		for _, part := range []string{filepath.Base(path), filepath.Base(filepath.Dir(path))} {
			synset, _, _ := strings.Cut(part, "_")
			if number, err := categoryNumber(synset); err == nil && synset[0] == 'n' {
				labels.categories = []int{number}
				break
			}
		}
		f, err := readPicture(path, labels)
		files = append(files, f)
		return err
	})
	return files, err
}

func isPicture(path string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png", ".gif", ".webp"}, strings.ToLower(filepath.Ext(path)))
}

// checkClasses returns an error if a label is not the name of a class.
func checkClasses(files []pictureFile) error {
	lists, err := vision.New()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, c := range lists.Classes() {
		known[c.Name] = true
	}
	for _, f := range files {
		for _, name := range slices.Concat(f.classes, f.optional) {
			if !known[name] {
				return fmt.Errorf("labels of %s: unknown class %q", f.name, name)
			}
		}
	}
	return nil
}
