package rest

import (
	"reflect"
	"strings"
)

// A Description describes a route that [Handle] created.
type Description struct {
	Method   string
	Path     string
	Access   Access
	Category string
	Text     string // "" if there is none

	Params       []Field // query and path parameters, in the order of the struct
	Body         *Shape  // nil if there is none
	BodyOptional bool
	Response     *Shape // nil if it is not JSON or not known
	Accepts      bool   // the response may have status 202
}

// A Field is a named value: a parameter, or a member of an object.
type Field struct {
	Name    string
	Aliases []string // alternative names of a parameter
	In      string   // "query" or "path"; "" for a member
	Shape   *Shape
	Text    string // "" if there is none
	Example string // a value to use in examples; "" for any

	Required   bool // a parameter that must be given, or a member that is always present
	Restricted bool // content restrictions may remove it from posts of some sources
	Deprecated bool
}

// Meaning returns the description of the field, including its aliases.
func (f Field) Meaning() string {
	if len(f.Aliases) == 0 {
		return f.Text
	}
	return f.Text + " (also accepted as " + strings.Join(f.Aliases, ", ") + ")"
}

// Describe describes the routes that [Handle] created, but not those that [Plain] created.
//
// It reads the tags of their parameters and responses. These are, in addition to the tags of
// Handle:
//
//	doc:"days, end exclusive"   description of the field, a phrase
//	values:"HOURLY,DAILY"       all allowed values
//	example:"2026-03-01"        a value for examples, which otherwise omit the field
//	required:"true"             a member that a body must have
//	restricted:"true"           a member that content restrictions may remove
//	deprecated:"true"           a field that exists only for old programs
func Describe(routes []Route) []Description {
	var all []Description
	for _, r := range routes {
		if r.params != nil {
			all = append(all, r.describe())
		}
	}
	return all
}

func (r Route) describe() Description {
	d := Description{Method: r.Method, Path: r.Path, Access: r.Access, Category: r.Category, Text: r.Description, Accepts: r.accepts}
	d.addParams(r.params)
	if r.response != reflect.TypeFor[Download]() {
		d.Response = shapeOf(r.response, true)
	}
	return d
}

// addParams adds the parameters of a struct. It walks the struct like planner.walk.
func (d *Description) addParams(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		source, tag := sourceOf(f)
		list, option, _ := strings.Cut(tag, ",")
		switch source {
		case "query", "path":
			names := strings.Split(list, "|")
			p := newField(names[0], f, shapeOf(f.Type, true))
			p.Aliases, p.In = names[1:], source
			p.Required = option == "required" || source == "path"
			d.Params = append(d.Params, p)
		case "body":
			if list == "json" {
				d.Body = shapeOf(f.Type, false)
				d.BodyOptional = strings.HasSuffix(tag, ",optional")
			}
		case "":
			if f.Anonymous && f.Type.Kind() == reflect.Struct {
				d.addParams(f.Type)
			}
		}
	}
}

// newField returns the description of a struct field, based on its tags.
func newField(name string, f reflect.StructField, s *Shape) Field {
	if values, ok := f.Tag.Lookup("values"); ok {
		s.innermost().Values = strings.Split(values, ",")
	}
	field := Field{
		Name:       name,
		Shape:      s,
		Text:       f.Tag.Get("doc"),
		Example:    f.Tag.Get("example"),
		Required:   f.Tag.Get("required") == "true",
		Restricted: f.Tag.Get("restricted") == "true",
		Deprecated: f.Tag.Get("deprecated") == "true",
	}
	if f.Type == reflect.TypeFor[Success]() && field.Text == "" {
		field.Text = "success" // the only possible value
	}
	return field
}
