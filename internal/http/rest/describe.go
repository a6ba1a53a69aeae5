package rest

import (
	"reflect"
	"strings"
)

// A Description describes a route that Handle made.
type Description struct {
	Method   string
	Path     string
	Access   Access
	Category string
	Text     string // "" if there is none

	Params       []Field // of the query string and the path, in the order of the struct
	Body         *Shape  // nil when there is none
	BodyOptional bool
	Response     *Shape // nil if it is not JSON, or not known
}

// A Field is a value with a name: a parameter, or a member of an object.
type Field struct {
	Name    string
	Aliases []string // other names that a parameter goes by
	In      string   // query or path; "" for a member
	Shape   *Shape
	Text    string // "" if there is none
	Example string // a value for examples; "" for any

	Required   bool // a parameter that must be given, or a member that is always there
	Restricted bool // may be withheld from posts of some sources
	Deprecated bool
}

// Meaning is the description of the field, with its aliases.
func (f Field) Meaning() string {
	if len(f.Aliases) == 0 {
		return f.Text
	}
	return f.Text + " (also spelled " + strings.Join(f.Aliases, ", ") + ")"
}

// Describe describes the routes that Handle made, and leaves out those of Plain.
//
// It reads the tags of their parameters and responses. In addition to those of Handle:
//
//	doc:"days, end exclusive"   what the field is, a phrase
//	values:"HOURLY,DAILY"       all that it may be
//	example:"2026-03-01"        a value to show; also says that examples show the field
//	required:"true"             a member that a body must have
//	restricted:"true"           what content restrictions may withhold
//	deprecated:"true"           what is there for old programs only
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
	d := Description{Method: r.Method, Path: r.Path, Access: r.Access, Category: r.Category, Text: r.Description}
	d.addParams(r.params)
	if r.response != reflect.TypeFor[Download]() {
		d.Response = shapeOf(r.response, true)
	}
	return d
}

// addParams walks a struct of parameters as a planner does.
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

// newField returns a field as its tags describe it.
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
		field.Text = "success" // what else
	}
	return field
}
