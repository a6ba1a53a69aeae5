package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"earshot/internal/http/rest"
)

// baseAddress is the address of the server in examples.
const baseAddress = "http://127.0.0.1:8080"

// curl returns a command that calls an endpoint with the required parameters.
func curl(d rest.Description) string {
	first := "curl"
	if d.Method != "GET" {
		first += " -X " + d.Method
	}
	var parts []string
	if d.Access != rest.Public {
		parts = append(parts, `-H "Authorization: Bearer $TOKEN"`)
	}
	if body := sampleBody(d.Body); body != "" {
		parts = append(parts, "-d '"+body+"'")
	}
	parts = append(parts, "'"+baseAddress+sampleAddress(d)+"'")
	return first + " " + strings.Join(parts, " \\\n  ")
}

func sampleAddress(d rest.Description) string {
	path := d.Path
	var query []string
	for _, p := range d.Params {
		switch value := sampleText(p); {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case inExamples(p):
			query = append(query, p.Name+"="+url.QueryEscape(value))
		}
	}
	if query == nil {
		return path
	}
	return path + "?" + strings.Join(query, "&")
}

// inExamples reports whether examples include a field: a required field, or one that has an example
// or members with examples.
func inExamples(f rest.Field) bool {
	return f.Required || f.Example != "" ||
		slices.ContainsFunc(f.Shape.Inner(), func(m rest.Field) bool { return m.Example != "" })
}

// sampleText returns an example value of a parameter.
func sampleText(f rest.Field) string {
	switch v := sample(f).(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return "true"
	}
	return ""
}

// sampleBody returns an example body as JSON, or "" if it would be empty.
func sampleBody(s *rest.Shape) string {
	if s == nil {
		return ""
	}
	body, _ := sampleValue(s, "").(object[any])
	if len(body) == 0 {
		return ""
	}
	var buf bytes.Buffer
	_ = encodeJSON(&buf, body) // sample values can always be encoded
	return strings.ReplaceAll(buf.String(), "'", `'\''`)
}

func sample(f rest.Field) any { return sampleValue(f.Shape, f.Example) }

// sampleValue returns an example value of a shape: the given one, or a default.
func sampleValue(s *rest.Shape, given string) any {
	switch s.Kind {
	case rest.ArrayShape:
		return []any{sampleValue(s.Elem, given)}
	case rest.ObjectShape:
		var o object[any]
		for _, m := range s.Members {
			if inExamples(m) {
				o.add(m.Name, sample(m))
			}
		}
		return o
	case rest.Int32Shape, rest.Int64Shape, rest.NumberShape:
		return json.Number(cmp.Or(given, "2147483652"))
	case rest.BooleanShape:
		return true
	case rest.DateShape:
		return cmp.Or(given, "2026-03-01")
	case rest.TimestampShape:
		return cmp.Or(given, "2026-03-01T08:30:00")
	}
	if len(s.Values) > 0 {
		return cmp.Or(given, s.Values[0])
	}
	return cmp.Or(given, "text")
}
