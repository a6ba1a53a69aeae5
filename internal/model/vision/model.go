package vision

import (
	"fmt"
	"slices"
	"strings"
)

// A Model interprets alt text. It is safe for concurrent use.
type Model struct {
	classes []Class
	parents map[int64]Class // by id of the child
	things  phrases         // objects and scenes
	actions actions
	brands  map[string][]brandName // by first word
}

// New returns a model of the embedded lists.
func New() (*Model, error) {
	classes, err := readClasses(classList)
	if err != nil {
		return nil, err
	}
	brands, err := readBrands(brandList)
	if err != nil {
		return nil, err
	}
	objects, parents, err := readObjects(objectList)
	if err != nil {
		return nil, err
	}
	classes = append(classes, objects...)
	slices.SortFunc(classes, func(a, b Class) int { return int(a.ID - b.ID) })
	m := &Model{classes: classes, parents: map[int64]Class{}, things: phrases{}, actions: actions{}, brands: indexBrands(brands)}
	if err := m.addParents(parents); err != nil {
		return nil, err
	}
	if err := m.addNames(); err != nil {
		return nil, err
	}
	for _, b := range brands {
		m.classes = append(m.classes, b.Class)
	}
	if !slices.IsSortedFunc(m.classes, func(a, b Class) int { return int(a.ID - b.ID) }) {
		return nil, fmt.Errorf("the image classes are not sorted by id")
	}
	return m, nil
}

// addParents resolves the names of parents, which are objects.
func (m *Model) addParents(names map[int64]string) error {
	for id, name := range names {
		at := slices.IndexFunc(m.classes, func(c Class) bool { return c.Type == Object && c.Name == name })
		if at < 0 || names[m.classes[at].ID] != "" {
			return fmt.Errorf("object %d has the unknown or nested parent %s", id, name)
		}
		m.parents[id] = m.classes[at]
	}
	return nil
}

// addNames indexes the classes by their names and synonyms.
func (m *Model) addNames() error {
	others, hidden, err := readSynonyms(synonymList)
	if err != nil {
		return err
	}
	for _, class := range m.classes {
		base, qualifier := cutQualifier(class.Name)
		names := others[base]
		if !hidden[base] {
			names = append([]string{base}, names...)
		}
		for _, name := range names {
			m.addName(name, variant{class, qualifier})
		}
	}
	for _, class := range m.classes {
		base, _ := cutQualifier(class.Name)
		delete(others, base)
	}
	for _, silent := range others[nothing] {
		m.things.exclude(silent)
	}
	delete(others, nothing)
	for name := range others {
		return fmt.Errorf("synonyms of unknown class: %s", name)
	}
	return nil
}

func (m *Model) addName(name string, v variant) {
	if v.class.Type != Action {
		m.things.add(name, v)
		return
	}
	for _, name := range alternatives(name) {
		m.actions.add(name, v.class)
	}
}

// cutQualifier splits the name of a class: "church - indoor" is a church with a qualifier. Text in
// parentheses is only for readers of the list.
func cutQualifier(name string) (base, qualifier string) {
	name, _, _ = strings.Cut(name, " (")
	base, qualifier, _ = strings.Cut(name, " - ")
	return base, qualifier
}

// nothing is the name for phrases that indicate no class.
const nothing = "-"

// readSynonyms reads the synonyms of classes, and which classes do not match under their own name.
// synonyms.txt describes the format.
func readSynonyms(list string) (others map[string][]string, hidden map[string]bool, err error) {
	others, hidden = map[string][]string{}, map[string]bool{}
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		at := strings.IndexAny(line, ":=")
		if at < 0 {
			return nil, nil, fmt.Errorf("invalid line of synonyms: %q", line)
		}
		name := line[:at]
		hidden[name] = line[at] == '='
		for other := range strings.SplitSeq(line[at+1:], ",") {
			others[name] = append(others[name], strings.TrimSpace(other))
		}
	}
	return others, hidden, nil
}
