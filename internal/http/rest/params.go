package rest

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"earshot"
	"earshot/internal/limit"
)

// A plan describes how to fill a struct of parameters from a request. It is computed once per
// route.
type plan struct {
	params []param
	body   func(x *exchange, p reflect.Value) error // nil if there is no body

	streams bool // the function reads the body
}

// A param is a field whose value comes from the query string, the path or the connection.
type param struct {
	name     string
	field    []int
	required bool
	secret   bool
	header   bool // the value is the request's header
	read     func(x *exchange) string
	list     func(x *exchange) []string // for parameters with several values; read is nil then
	set      setter
}

// newPlan returns the plan for parameters of type t. It panics if [Handle] does not support t.
func newPlan(t reflect.Type, path string) *plan {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("rest: parameters of %s must be a struct, not %s", path, t))
	}
	b := planner{path: path, segments: parsePattern(path), seen: map[string]bool{}}
	b.walk(t, nil)
	return &b.plan
}

// bind fills the struct p: first the parameters, in the order of the fields, then the body.
func (pl *plan) bind(x *exchange, p reflect.Value) error {
	for _, f := range pl.params {
		if err := f.bind(x, p.FieldByIndex(f.field)); err != nil {
			return err
		}
	}
	if pl.body == nil {
		return nil
	}
	return pl.body(x, p)
}

func (f *param) bind(x *exchange, field reflect.Value) error {
	switch {
	case f.header:
		field.Set(reflect.ValueOf(x.r.Header))
		return nil
	case f.list != nil:
		return f.bindList(x, field)
	}
	return f.setValue(f.read(x), field)
}

// bindList sets a slice to the values of a repeated parameter.
func (f *param) bindList(x *exchange, field reflect.Value) error {
	values := f.list(x)
	if len(values) == 0 {
		return f.setValue("", field)
	}
	field.Set(reflect.MakeSlice(field.Type(), len(values), len(values)))
	for i, value := range values {
		if err := f.setValue(value, field.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// setValue sets a field to a value. An empty value leaves the field unchanged, or is an error if
// the parameter is required.
func (f *param) setValue(value string, field reflect.Value) error {
	switch {
	case value == "" && f.required:
		return earshot.Errorf(earshot.Invalid, "Required String parameter '%s' is not present", f.name)
	case value == "":
		return nil
	case !utf8.ValidString(value):
		return f.invalid(strings.ToValidUTF8(value, "\uFFFD"), "text in UTF-8")
	}
	err := f.set(field, value)
	if err == nil {
		return nil
	}
	var visible *earshot.Error
	if errors.As(err, &visible) { // meant for the client as it is
		return visible
	}
	return f.invalid(value, err.Error())
}

// invalid returns the error for an invalid value. It does not show the value of a secret parameter,
// because responses end up in other people's logs.
func (f *param) invalid(value, allowed string) error {
	if f.secret {
		value = "…"
	}
	return earshot.InvalidParameter(f.name, value, allowed)
}

// A planner computes the plan of one route.
type planner struct {
	plan
	path     string
	segments []patternSegment
	seen     map[string]bool // sources used so far, to detect duplicates
}

func (b *planner) walk(t reflect.Type, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		source, value := sourceOf(f)
		switch {
		case source == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			b.walk(f.Type, at)
		case source == "" && !f.IsExported():
			// Private fields belong to the endpoint.
		case source == "" || !f.IsExported():
			b.fail(f, "must be exported and have a tag")
		default:
			b.add(f, at, source, value)
		}
	}
}

// sourceOf returns the name and value of the tag that says where a field's value comes from.
func sourceOf(f reflect.StructField) (source, value string) {
	for _, source := range []string{"query", "path", "body", "request"} {
		if value, ok := f.Tag.Lookup(source); ok {
			return source, value
		}
	}
	return "", ""
}

func (b *planner) add(f reflect.StructField, at []int, source, tag string) {
	list, option, _ := strings.Cut(tag, ",")
	names := strings.Split(list, "|")
	b.claim(f, source, names)

	p := param{name: names[0], field: at, required: option == "required", secret: slices.ContainsFunc(names, isSecret)}
	switch {
	case source == "body" && b.addBody(f, at, tag):
		return
	case source == "request" && tag == "header" && f.Type == reflect.TypeFor[http.Header]():
		p.header = true
		b.params = append(b.params, p)
		return
	case source == "query" && !slices.Contains(names, "") && (option == "" || p.required):
		p.read = func(x *exchange) string { return x.query.first(names) }
	case source == "path" && option == "" && b.segment(list) >= 0:
		i := b.segment(list)
		p.read = func(x *exchange) string { return x.segments[i] }
	case source == "request" && requestValues[tag] != nil:
		p.read = requestValues[tag]
	default:
		b.fail(f, "has an invalid tag")
	}
	of := f.Type
	if source == "query" && setterFor(of) == nil && of.Kind() == reflect.Slice {
		of = of.Elem()
		p.list = func(x *exchange) []string { return x.query.all(names) }
	}
	if p.set = setterFor(of); p.set == nil {
		b.fail(f, "has a type that cannot be parsed from text")
	}
	b.params = append(b.params, p)
}

// requestValues maps the values of the request tag to functions that return the field's value.
var requestValues = map[string]func(x *exchange) string{
	"address":       func(x *exchange) string { return x.address },
	"base":          (*exchange).base,
	"scheme":        (*exchange).scheme,
	"method":        (*exchange).method,
	"session":       func(x *exchange) string { return x.session },
	"Last-Event-ID": func(x *exchange) string { return x.r.Header.Get("Last-Event-ID") },
}

// claim panics if another field already has the same source.
func (b *planner) claim(f reflect.StructField, source string, names []string) {
	for _, name := range names {
		key := source + " " + strings.ToLower(name)
		if source == "body" {
			key = source
		}
		if b.seen[key] {
			b.fail(f, "repeats the tag of an earlier field")
		}
		b.seen[key] = true
	}
}

// isSecret reports whether messages must not show the parameter's value.
func isSecret(name string) bool {
	return slices.ContainsFunc([]string{"password", "auth", "token"}, func(secret string) bool { return strings.EqualFold(name, secret) })
}

// addBody plans how to read the body. It returns false if the tag is unknown.
func (b *planner) addBody(f reflect.StructField, at []int, tag string) bool {
	switch {
	case tag == "stream" && f.Type == reflect.TypeFor[*BodyStream]():
		b.streams = true
		b.body = func(x *exchange, p reflect.Value) error {
			s, err := newBodyStream(x)
			p.FieldByIndex(at).Set(reflect.ValueOf(s))
			return err
		}
	case tag == "bytes" && f.Type == reflect.TypeFor[[]byte]():
		b.body = func(x *exchange, p reflect.Value) error {
			data, err := readBody(x, min(x.server.MaxBody, limit.MaxIngestBody))
			p.FieldByIndex(at).SetBytes(data)
			return err
		}
	case slices.Contains([]string{"json", "json,optional", "json,large", "json,large,optional"}, tag):
		optional, large := strings.HasSuffix(tag, ",optional"), strings.Contains(tag, ",large")
		b.body = func(x *exchange, p reflect.Value) error {
			return readJSON(x, x.bodyLimit(large), optional, p.FieldByIndex(at).Addr().Interface())
		}
	default:
		return false
	}
	return true
}

// segment returns the index of the path segment with the given name, or -1.
func (b *planner) segment(name string) int {
	return slices.IndexFunc(b.segments, func(s patternSegment) bool { return s.name == name && name != "" && !s.tail })
}

func (b *planner) fail(f reflect.StructField, why string) {
	panic(fmt.Sprintf("rest: parameters of %s: field %s %s", b.path, f.Name, why))
}
