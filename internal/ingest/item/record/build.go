package record

import (
	"encoding/json"
	"strings"
)

// A kind is how the texts of a field are converted to JSON.
type kind int

const (
	text    kind = iota + 1
	number       // a text that is not a number stays one, so that decoding the record reports it
	boolean      // the same for a text that is neither true nor false
	list
	urls // of images
)

// kinds are the fields that can be set from texts. Fields named custom.NAME are texts, too.
var kinds = map[string]kind{
	"type": text, "guid": text, "url": text, "date": text, "contents": text, "title": text,
	"author": text, "authorUsername": text, "authorProfileId": text, "authorGender": text,
	"authorAge": number, "authorFollowers": number, "authorFollowing": number, "authorPosts": number,
	"authorKlout": number, "authorVerified": boolean, "bio": text, "language": text, "location": text,
	"geolocation.id": text, "geolocation.latitude": number, "geolocation.longitude": number, "geolocation.zipcode": text,
	"engagementType": text, "engagingWith": text, "parentGuid": text, "pageId": text,
	"likes": number, "shares": number, "comments": number, "replies": number, "retweets": number, "views": number,
	"followers": number, // in account snapshots
	"deleted":   boolean,
	"rating":    number, "hashtags": list, "mentions": list, "mediaUrls": list, "images": urls,
}

// A Field is a field of a record that can be set from texts.
type Field struct {
	Name string // for example geolocation.id
	kind kind
}

// FindField returns the field with the given name. Case does not matter.
func FindField(name string) (Field, bool) {
	for known, k := range kinds {
		if strings.EqualFold(name, known) {
			return Field{known, k}, true
		}
	}
	if prefix, rest, _ := strings.Cut(name, "."); strings.EqualFold(prefix, "custom") && rest != "" {
		return Field{customPrefix + rest, text}, true
	}
	return Field{}, false
}

const customPrefix = "custom."

// IsList reports whether the field has several values.
func (f Field) IsList() bool { return f.kind == list || f.kind == urls }

// A Builder builds a record from texts.
type Builder struct{ fields object }

// Set sets a field that is not a list.
func (b *Builder) Set(f Field, value string) {
	switch f.kind {
	case number:
		b.set(f, numberOrText(value))
	case boolean:
		b.set(f, boolOrText(value))
	default:
		b.set(f, value)
	}
}

// SetList sets a field that is a list.
func (b *Builder) SetList(f Field, values []string) {
	if f.kind != urls {
		b.set(f, values)
		return
	}
	images := []object{}
	for _, url := range values {
		images = append(images, object{"url": url})
	}
	b.set(f, images)
}

func (b *Builder) set(f Field, value any) {
	if b.fields == nil {
		b.fields = object{}
	}
	if name, ok := strings.CutPrefix(f.Name, customPrefix); ok {
		b.fields.inner("custom")[name] = value // a dot in the name does not create a nested object
		return
	}
	b.fields.set(f.Name, value)
}

// JSON returns the record.
func (b *Builder) JSON() ([]byte, error) {
	if b.fields == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(b.fields)
}

// An object is a JSON object.
type object map[string]any

// set sets the value at key. A dot in key creates a nested object.
func (o object) set(key string, value any) {
	outer, inner, nested := strings.Cut(key, ".")
	if !nested {
		o[key] = value
		return
	}
	o.inner(outer).set(inner, value)
}

// inner returns the object at key.
func (o object) inner(key string) object {
	within, ok := o[key].(object)
	if !ok {
		within = object{}
		o[key] = within
	}
	return within
}

func numberOrText(s string) any {
	s = strings.TrimSpace(s)
	if s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s)) {
		return json.Number(s)
	}
	return s
}

func boolOrText(s string) any {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true":
		return true
	case "false":
		return false
	}
	return s
}
