package vision

import (
	"cmp"
	"slices"
	"testing"

	"earshot"
)

func TestClasses(t *testing.T) {
	m := newModel(t)
	count := map[Type]int{}
	names := map[string]bool{}
	last := int64(0)
	for _, c := range m.Classes() {
		if c.ID <= last {
			t.Errorf("%d %s: not after %d", c.ID, c.Name, last)
		}
		last = c.ID
		if got, ok := m.ClassByID(c.ID); !ok || got != c {
			t.Errorf("class %d: got %v, %t, want %v", c.ID, got, ok, c)
		}
		if names[string(c.Type)+c.Name] {
			t.Errorf("two classes %s of type %s", c.Name, c.Type)
		}
		names[string(c.Type)+c.Name] = true
		count[c.Type]++
	}
	for kind, want := range map[Type]int{Object: 243, Scene: 365, Action: 400, Logo: len(m.Brands())} {
		if count[kind] != want {
			t.Errorf("%s: got %d classes, want %d", kind, count[kind], want)
		}
	}
	if got := len(m.Brands()); got < 300 {
		t.Errorf("got %d brands, want 300 or more", got)
	}
	for _, id := range []int64{0, -1, 244, 999, 2400, 3000, 1 << 40} {
		if got, ok := m.ClassByID(id); ok {
			t.Errorf("class %d: got %v, want none", id, got)
		}
	}
}

// TestIDsAreStable checks that ids do not change, because stored posts contain them.
func TestIDsAreStable(t *testing.T) {
	m := newModel(t)
	for id, want := range map[int64]Class{
		1:    {1, "person", Object},
		80:   {80, "toothbrush", Object},
		81:   {81, "animal", Object},
		137:  {137, "golden retriever", Object},
		243:  {243, "wine", Object},
		1048: {1048, "beach", Scene},
		2267: {2267, "riding a bike", Action},
		3001: {3001, "Nike", Logo},
	} {
		if got, _ := m.ClassByID(id); got != want {
			t.Errorf("class %d: got %v, want %v", id, got, want)
		}
	}
}

func TestAltFindsEveryClass(t *testing.T) {
	m := newModel(t)
	missed := 0
	for _, c := range m.Classes() {
		objects, brands := m.Alt("one more " + c.Name)
		found := slices.ContainsFunc(brands, func(b earshot.ImageBrand) bool { return b.Name == c.Name })
		for _, o := range objects {
			found = found || o.ClassID == c.ID
		}
		if !found {
			missed++
			t.Logf("%d %s is not found", c.ID, c.Name)
		}
	}
	// Some names usually mean something else, and some classes differ only in their parentheses.
	if missed > 25 {
		t.Errorf("got %d classes that are not found by name, want at most 25", missed)
	}
}

func TestTypeOf(t *testing.T) {
	for _, c := range newModel(t).Classes() {
		if got := TypeOf(c.ID); got != c.Type {
			t.Errorf("class %d %s: got %s, want %s", c.ID, c.Name, got, c.Type)
		}
	}
	if got := TypeOf(77_777); got != Object {
		t.Errorf("an unknown class: got %s, want %s", got, Object)
	}
}

// Brands returns the classes of logos, sorted by id.
func (m *Model) Brands() []Class {
	return slices.DeleteFunc(m.Classes(), func(c Class) bool { return c.Type != Logo })
}

// ClassByID returns the class with the given id, or false if there is none.
func (m *Model) ClassByID(id int64) (Class, bool) {
	i, found := slices.BinarySearchFunc(m.classes, id, func(c Class, id int64) int { return cmp.Compare(c.ID, id) })
	if !found {
		return Class{}, false
	}
	return m.classes[i], true
}
