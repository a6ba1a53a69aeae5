package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/ingest/item"
	"earshot/internal/ingest/item/record"
)

// A mapping locates the posts and their fields in a body of any format.
//
//	items    = payload.posts[]      # one post for each element
//	guid     = id                   # relative to the post
//	contents = message.text
//	hashtags = tags[].name          # a list
//	author   = $.sender.name        # relative to the body
//	type     = "Reviews"            # a constant
//
// In a path, [] means all elements of a list and [0] the first one. A name with dots, brackets or
// spaces is quoted: data."created at".
type mapping struct {
	items  path // of the posts; nil: the body is one post or a list of them
	fields []fieldRule
}

type fieldRule struct {
	field    record.Field
	path     path
	constant *string
}

// Limits of a mapping, which keep its evaluation cheap. Texts are truncated where the field would be
// too long anyway.
const (
	maxMappingLines = 100
	maxPathSteps    = 20
	maxTexts        = item.MaxList + 1
	maxTextBytes    = item.MaxContents * utf8.UTFMax
)

// parseMapping parses the setting mapping. It returns nil if there is none. The error names the
// line.
func parseMapping(text string) (*mapping, error) {
	m := &mapping{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(withoutComment(line))
		if line == "" {
			continue
		}
		if n > maxMappingLines {
			return nil, fmt.Errorf("mapping has more than %d lines", maxMappingLines)
		}
		if err := m.add(line); err != nil {
			return nil, fmt.Errorf("mapping, line %d: %w", n, err)
		}
	}
	switch {
	case len(m.fields) == 0 && m.items == nil:
		return nil, nil //nolint:nilnil // there is no mapping
	case len(m.fields) == 0:
		return nil, errors.New("mapping sets no fields: add lines such as contents = data.text")
	}
	return m, nil
}

// withoutComment removes a comment: # at the start or after a space, and what follows it, unless it
// is quoted.
func withoutComment(line string) string {
	quoted, escaped := false, false
	for i := range len(line) {
		switch c := line[i]; {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == '#' && !quoted && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i]
		}
	}
	return line
}

func (m *mapping) add(line string) error {
	name, source, ok := strings.Cut(line, "=")
	name, source = strings.TrimSpace(name), strings.TrimSpace(source)
	if !ok || name == "" || source == "" {
		return fmt.Errorf("'%s' does not have the form field = path", earshot.Clip(line, 60))
	}
	if name == "items" {
		p, err := parsePath(source)
		if err == nil && m.items != nil {
			err = errors.New("items is set twice")
		}
		m.items = p
		return err
	}
	field, ok := record.FindField(name)
	if !ok {
		return fmt.Errorf("'%s' is not a field of a post; see the fields of an import", earshot.Clip(name, 60))
	}
	for _, other := range m.fields {
		if other.field == field {
			return fmt.Errorf("%s is set twice", field.Name)
		}
	}
	rule := fieldRule{field: field}
	if constant, isText := constant(source); isText {
		rule.constant = &constant
	} else {
		var err error
		if rule.path, err = parsePath(source); err != nil {
			return err
		}
	}
	m.fields = append(m.fields, rule)
	return nil
}

// constant returns the text of a source that is a JSON string.
func constant(source string) (text string, ok bool) {
	ok = strings.HasPrefix(source, `"`) && json.Unmarshal([]byte(source), &text) == nil
	return text, ok
}

// records returns the records of the posts in a body, or what is wrong with it. A body that is not a
// list is one post if the mapping has no items.
func (m *mapping) records(body []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if n := countValues(body); n > maxValues {
			yield(nil, &earshot.Error{Kind: earshot.TooLarge, Message: fmt.Sprintf("The body has more than %d values; send fewer posts per request", maxValues)})
			return
		}
		root, err := parse(body)
		if err != nil {
			yield(nil, err)
			return
		}
		items := []any{root}
		if m.items != nil {
			items = m.items.find(root, root, math.MaxInt)
			if len(items) == 0 && !m.items.exists(root) {
				yield(nil, fmt.Errorf("the body has no %s, where the mapping expects the posts", m.items))
				return
			}
		}
		if len(items) == 1 {
			if list, ok := items[0].([]any); ok {
				items = list
			}
		}
		for _, it := range items {
			if !yield(m.record(root, it)) {
				return
			}
		}
	}
}

// record builds the record of one post.
func (m *mapping) record(root, it any) ([]byte, error) {
	var b record.Builder
	for _, rule := range m.fields {
		if rule.constant != nil {
			if rule.field.IsList() {
				b.SetList(rule.field, []string{*rule.constant})
			} else {
				b.Set(rule.field, *rule.constant)
			}
			continue
		}
		texts, err := rule.texts(root, it)
		switch {
		case err != nil:
			return nil, err
		case len(texts) == 0:
		case rule.field.IsList():
			b.SetList(rule.field, texts)
		case rule.field.Name == "date":
			b.Set(rule.field, normalizeTime(texts[0]))
		default:
			b.Set(rule.field, strings.Join(texts, " "))
		}
	}
	return b.JSON()
}

// texts returns the values at the path of a rule. Null counts as missing.
func (r *fieldRule) texts(root, it any) (texts []string, err error) {
	found := r.path.find(root, it, maxTexts)
	if len(found) == 1 && r.field.IsList() {
		if list, ok := found[0].([]any); ok {
			found = list
		}
	}
	length := 0
	for _, v := range found {
		if length > maxTextBytes {
			break
		}
		switch v := v.(type) {
		case nil:
		case string:
			texts = append(texts, v[:min(len(v), maxTextBytes+1)])
			length += len(v)
		case json.Number:
			texts = append(texts, v.String())
		case bool:
			texts = append(texts, strconv.FormatBool(v))
		case []any:
			return nil, fmt.Errorf("%s: %s is a list; use %s[] for its elements", r.field.Name, r.path, r.path)
		default:
			return nil, fmt.Errorf("%s: %s is an object; name one of its members", r.field.Name, r.path)
		}
	}
	return texts, nil
}

// timeLayouts are date formats that other programs send but imports do not accept.
var timeLayouts = []string{time.RFC1123Z, time.RFC1123, time.RubyDate, time.UnixDate}

// normalizeTime converts seconds or milliseconds since 1970, and the formats of timeLayouts, to the
// format of an import. Everything else stays as it is.
func normalizeTime(text string) string {
	if n, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(n) < 1e14 {
		const millisecondsFrom = 1e11 // in seconds, this is the year 5138
		if math.Abs(n) < millisecondsFrom {
			n *= 1000
		}
		return time.UnixMilli(int64(n)).UTC().Format(time.RFC3339Nano)
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Format(time.RFC3339Nano)
		}
	}
	return text
}

// maxValues bounds the memory for a mapped body, which may be many times the size of the body.
const maxValues = 500_000

// countValues returns an upper bound on the number of values in a body.
func countValues(body []byte) int {
	n := 1
	for _, c := range []byte(",[{") {
		n += bytes.Count(body, []byte{c})
	}
	return n
}

// parse decodes a body. Numbers keep their digits.
func parse(body []byte) (root any, err error) {
	if !json.Valid(body) {
		return nil, syntaxError(body)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	err = d.Decode(&root)
	return root, err
}
