// Package vision defines what images can show: objects, scenes, actions and brand logos, each with
// an id that is stored in posts. It finds them in alt text, which describes an image in words, and
// merges them with what networks see in the pixels.
//
// Looking at pixels is left to package net, and to models that operators supply. Their labels are
// mapped to the classes listed here (docs/decisions/0035-image-classes.md).
package vision

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of the lists and of the matching rules. It must change whenever an image
// may get different classes.
const Version = 2

// NetVersion is the version of the networks of package net, which look at pixels, and of the rules that
// map their scores to classes. It must change whenever a picture may get different classes, and
// [earshot/internal/model/enrich.Version] with it, so that stored posts are outdated.
const NetVersion = 3

// A Type is the kind of a class, in the wire spelling of imageresults.
type Type string

const (
	Object Type = "object"
	Scene  Type = "scene"
	Action Type = "action"
	Logo   Type = "logo"
)

// Types lists the types of classes.
var Types = []Type{Object, Scene, Action, Logo}

// A Class is something that an image can show. Ids are unique across types.
type Class struct {
	ID   int64
	Name string
	Type Type
}

// The embedded lists. Package train generates classes.tsv; the others are maintained by hand.
var (
	//go:embed classes.tsv
	classList string
	//go:embed objects.txt
	objectList string
	//go:embed brands.txt
	brandList string
	//go:embed synonyms.txt
	synonymList string
)

// Classes returns all classes of the model, sorted by id: objects, scenes, actions, then logos.
func (m *Model) Classes() []Class { return slices.Clone(m.classes) }

// Parent returns the class that an image also shows if it shows the one with the given id, such as
// "dog" for "poodle", or false if there is none. Parents have no parents.
func (m *Model) Parent(id int64) (Class, bool) {
	parent, ok := m.parents[id]
	return parent, ok
}

// TypeOf returns the type of the class with the given id. The thousands digit determines the type;
// ids outside these ranges count as objects.
func TypeOf(id int64) Type {
	switch id / 1000 {
	case 1:
		return Scene
	case 2:
		return Action
	case 3:
		return Logo
	}
	return Object
}

// readClasses parses lines of type, id and name.
func readClasses(list string) ([]Class, error) {
	var classes []Class
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 || !slices.Contains(Types, Type(fields[0])) {
			return nil, fmt.Errorf("invalid class: %q", line)
		}
		id, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("invalid class: %q", line)
		}
		classes = append(classes, Class{ID: id, Name: fields[2], Type: Type(fields[0])})
	}
	return classes, nil
}

// readObjects parses the objects that are not in classes.tsv, and the names of the parents of some, by
// id. objects.txt describes the format.
func readObjects(list string) (objects []Class, parents map[int64]string, err error) {
	parents = map[int64]string{}
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		number, rest, _ := strings.Cut(line, " ")
		name, parent, hasParent := strings.Cut(rest, " < ")
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil || name == "" || TypeOf(id) != Object {
			return nil, nil, fmt.Errorf("invalid object: %q", line)
		}
		objects = append(objects, Class{ID: id, Name: name, Type: Object})
		if hasParent {
			parents[id] = parent
		}
	}
	return objects, parents, nil
}

// A brand is a logo class with its names.
type brand struct {
	Class
	names  []string // the first is the name of the class
	common bool     // the first name is also a common word
}

// readBrands parses the list of brands. brands.txt describes the format.
func readBrands(list string) ([]brand, error) {
	var brands []brand
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		number, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil || rest == "" {
			return nil, fmt.Errorf("invalid brand: %q", line)
		}
		names := strings.Split(rest, " | ")
		name, common := strings.CutSuffix(names[0], " ~")
		names[0] = name
		brands = append(brands, brand{Class{ID: id, Name: name, Type: Logo}, names, common})
	}
	return brands, nil
}
