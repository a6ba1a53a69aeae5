package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"earshot"
)

// A target is a type that JSON is checked against.
type target struct {
	t       reflect.Type
	kind    string // of the values that fit, as in jsonKinds; "": see own
	name    string // what fits, in messages
	own     bool   // try decides what fits
	variant bool
	fields  map[string]field // members of a struct by name; nil: not a struct
	names   []string         // the keys of fields, sorted
	lenient bool             // a struct that ignores unknown members
	elem    *target          // elements of a list or members of a map; nil: anything
	bound   Bounded          // of a list
	single  bool             // an element fits, too
	longest int              // characters of a text, without spaces around it; 0: any number
}

// A field is a member of a struct.
type field struct {
	*target       // nil: anything fits
	index   []int // for [reflect.Value.FieldByIndex]
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	variant         = reflect.TypeFor[Variant]()
	single          = reflect.TypeFor[Single]()
)

// hasForms reports whether a type accepts values of several kinds.
func hasForms(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonUnmarshaler) || p.Implements(variant) || p.Implements(single)
}

var targets sync.Map // reflect.Type -> *target, nil if anything fits

// targetOf returns the target of a type, or nil if any JSON fits.
func targetOf(t reflect.Type) *target {
	if known, ok := targets.Load(t); ok {
		return known.(*target)
	}
	n := newTarget(t, map[reflect.Type]*target{})
	targets.Store(t, n)
	return n
}

// newTarget returns the target of a type that may contain the types in seen again.
func newTarget(t reflect.Type, seen map[reflect.Type]*target) *target {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n, ok := seen[t]; ok {
		return n
	}
	n := &target{t: t, name: typeName(t)}
	seen[t] = n
	bound, isBounded := reflect.Zero(t).Interface().(Bounded)
	switch {
	case reflect.PointerTo(t).Implements(variant):
		n.variant = true
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		seen[t] = nil
		return nil
	case isBounded:
		n.kind, n.elem, n.bound, n.single = "array", newTarget(t.Elem(), seen), bound, t.Implements(single)
	case reflect.PointerTo(t).Implements(jsonUnmarshaler):
		n.own = true
	case reflect.PointerTo(t).Implements(textUnmarshaler):
		n.kind, n.own = "string", true
	case isInteger(t), t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		n.kind, n.own = "number", true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		n.kind, n.own = "string", true
	case t.Kind() == reflect.String:
		n.kind = "string"
	case t.Kind() == reflect.Bool:
		n.kind = "bool"
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		n.kind, n.elem, n.bound = "array", newTarget(t.Elem(), seen), anyList{}
	case t.Kind() == reflect.Map:
		n.kind, n.elem = "object", newTarget(t.Elem(), seen)
	case t.Kind() == reflect.Struct:
		n.kind, n.fields = "object", map[string]field{}
		_, n.lenient = reflect.Zero(t).Interface().(Lenient)
		n.addFields(seen)
	}
	return n
}

// addFields adds the members of a struct. If several fields have the same name, the outermost counts.
func (n *target) addFields(seen map[reflect.Type]*target) {
	depth := map[string]int{}
	for _, f := range reflect.VisibleFields(n.t) {
		name := jsonName(f)
		if d, taken := depth[name]; name == "" || taken && d <= len(f.Index) {
			continue
		}
		depth[name] = len(f.Index)
		of := newTarget(f.Type, seen)
		if longest, err := strconv.Atoi(f.Tag.Get("longest")); err == nil {
			of = of.limited(longest)
		}
		n.fields[name] = field{of, f.Index}
	}
	n.names = slices.Sorted(maps.Keys(n.fields))
}

// limited returns the target of a text, or of an object of texts, of at most longest characters.
func (n *target) limited(longest int) *target {
	c := *n
	if c.elem != nil {
		c.elem = c.elem.limited(longest)
	} else {
		c.longest = longest
	}
	return &c
}

// checkLength returns an error if a text, in quotes, has too many characters. Most texts have fewer
// bytes than that.
func (n *target) checkLength(text []byte) error {
	if n == nil || n.longest == 0 || len(text) <= n.longest {
		return nil
	}
	if count := utf8.RuneCount(bytes.TrimSpace(unquote(text))); count > n.longest {
		return &misfit{problem: fmt.Sprintf("has %d characters, at most %d are allowed", count, n.longest)}
	}
	return nil
}

// member returns the member with this key. Like encoding/json, it ignores case if no name is equal.
// Only a struct can have members that are not known.
func (n *target) member(key string) (f field, known bool) {
	switch {
	case n == nil:
		return field{}, true
	case n.fields == nil:
		return field{target: n.elem}, true
	}
	if f, ok := n.fields[key]; ok {
		return f, true
	}
	for _, name := range n.names {
		if strings.EqualFold(name, key) {
			return n.fields[name], true
		}
	}
	return field{}, false
}

// unknown returns the error for a member that the struct does not have.
func (n *target) unknown(name string) error {
	m := &misfit{unknown: earshot.Clip(name, 60), want: "there are " + strings.Join(n.names, ", ")}
	best := len(m.unknown)/2 + 1 // more edits than this are another word
	for _, known := range n.names {
		if d := edits(strings.ToLower(m.unknown), strings.ToLower(known)); d < best {
			best, m.similar = d, known
		}
	}
	return m
}

// edits returns how many bytes to insert, delete or replace to turn one word into another. Swapping
// neighbors takes two.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// jsonName returns the JSON key of a field, or "" if it has no key of its own.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "-", !f.IsExported(), f.Anonymous && name == "":
		return ""
	case name == "":
		return f.Name
	}
	return name
}

// set decodes a value of a type that unmarshals itself, or a number.
func (n *target) set(v reflect.Value, data []byte) error {
	if !v.IsValid() {
		v = reflect.New(n.t).Elem()
	}
	if n.kind == "number" && v.CanInt() {
		if x, err := strconv.ParseInt(string(data), 10, 64); err == nil && !v.OverflowInt(x) {
			v.SetInt(x)
			return nil
		}
	}
	var err error
	if own, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		err = own.UnmarshalJSON(data)
	} else {
		err = json.Unmarshal(data, v.Addr().Interface())
	}
	if err != nil {
		return decodeError(n.t, data, err)
	}
	return nil
}

// anyList is the bound of lists that have none of their own.
type anyList struct{}

func (anyList) CheckLength(n int) error {
	if n > maxElements {
		return &misfit{want: "shorter", got: fmt.Sprintf("a list of %d elements", n)}
	}
	return nil
}

// A misfit is an error about a value that does not fit its type.
type misfit struct {
	path      string // from the value that is checked
	want, got string
	problem   string // says it all if it is not empty
	cause     error

	// If got is empty, the value has a member that is not known, and perhaps one with a similar name.
	unknown, similar string
}

func (m *misfit) Error() string { return m.at("").Error() }

func (m *misfit) Unwrap() error { return m.cause }

// at returns the error for the client. The value that was checked is at path.
func (m *misfit) at(path string) error {
	path = strings.TrimPrefix(path+m.path, ".")
	switch {
	case m.problem != "":
		return earshot.InvalidBody("%s%s", prefix(path, " "), m.problem)
	case m.got != "":
		return mismatch(path, m.want, m.got)
	}
	path = prefix(path, ".")
	if m.similar == "" {
		return earshot.InvalidBody("unknown field '%s'; %s", path+m.unknown, m.want)
	}
	return earshot.InvalidBody("unknown field '%s'; did you mean '%s'?", path+m.unknown, path+m.similar)
}

// within adds a step to the path of a misfit.
func within(err error, step string) error {
	var m *misfit
	if errors.As(err, &m) {
		m.path = step + m.path
	}
	return err
}

// kindOf returns the kind of the JSON value that starts with this byte, or "" if there is none.
func kindOf(first byte) string {
	switch {
	case first == '{':
		return "object"
	case first == '[':
		return "array"
	case first == '"':
		return "string"
	case first == 't', first == 'f':
		return "bool"
	case first == 'n':
		return "null"
	case first == '-', '0' <= first && first <= '9':
		return "number"
	}
	return ""
}
