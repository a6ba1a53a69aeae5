package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"earshot"
)

// Limits of JSON bodies. They are far above what valid requests need, and bound the time and memory
// that it takes to decode a body that consists of many small values.
const (
	maxDepth    = 100     // lists and objects inside each other
	maxValues   = 200_000 // values of all kinds
	maxElements = 10_000  // elements of a list whose type is known and is not Bounded
	maxText     = 4 << 20 // bytes of a text or a key, as sent; the longest query takes 1.2 MB if it is escaped
	maxScalar   = 65_536  // bytes of a number, and of a value whose type unmarshals itself, like an ID
)

// A Bounded list has a maximum length. CheckLength is called on the zero value, while the list
// arrives.
type Bounded interface{ CheckLength(n int) error }

// A Single is a Bounded list that may also be a single element.
type Single interface{ MayBeSingle() }

// A Variant is a pointer to a type with several forms. Form returns a pointer to the value that JSON
// that starts with this byte is decoded into, usually a part of the type.
type Variant interface{ Form(first byte) any }

// errEmpty is the error for data that consists of spaces.
var errEmpty = errors.New("empty")

// A reader decodes JSON in one pass, while it arrives. It stops at the first value that does not fit
// or exceeds a limit.
//
// encoding/json needs the complete data and four times as long: it looks at each byte twice before
// it decodes the first value, and takes memory for a list before it looks at its second element.
type reader struct {
	from   io.Reader // nil: data is complete
	size   int64     // how much from probably has; at most 0 if unknown
	err    error     // the last error of from
	data   []byte    // what was read
	pos    int       // where the next value is
	depth  int
	values int
	strict bool // unknown fields are errors
}

// decode reads the data to its end and decodes it into v. A leading byte order mark is ignored.
func (r *reader) decode(v reflect.Value) error {
	for len(r.data) < len(byteOrderMark) && r.fill() == nil {
	}
	if bytes.HasPrefix(r.data, byteOrderMark) {
		r.pos = len(byteOrderMark)
	}
	first, err := r.next()
	switch {
	case errors.Is(err, errEmpty):
		return &misfit{want: typeName(v.Type()), got: "empty", cause: errEmpty}
	case err != nil:
		return err
	case first == 'n' && !acceptsNull(v.Type()):
		if err := r.literal("null"); err != nil {
			return err
		}
		return &misfit{want: typeName(v.Type()), got: "null"}
	}
	if err := r.value(targetOf(v.Type()), v); err != nil {
		return err
	}
	switch b, err := r.next(); {
	case err == nil:
		return r.unexpected(b, "after top-level value")
	case !errors.Is(err, errEmpty):
		return err
	}
	if n := invalidUTF8(r.data); n > 0 {
		return &syntaxError{join: " is ", problem: "not valid UTF-8", at: n - r.start()}
	}
	return nil
}

// start returns where the data starts, after a byte order mark.
func (r *reader) start() int { return len(r.data) - len(trimBOM(r.data)) }

// fill reads more data. It returns io.EOF at the end.
func (r *reader) fill() error {
	if r.from == nil {
		return io.EOF
	}
	if r.err != nil {
		return r.err
	}
	if n := len(r.data); n == cap(r.data) {
		more := max(n, 4<<10) // double it
		if left := int(r.size) - n; 0 <= left && left < more {
			more = left + bytes.MinRead // some, to find the end
		}
		r.data = slices.Grow(r.data, more)
	}
	for {
		n, err := r.from.Read(r.data[len(r.data):cap(r.data)])
		r.data, r.err = r.data[:len(r.data)+n], err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// more is like fill, but the data must not end.
func (r *reader) more() error {
	err := r.fill()
	if errors.Is(err, io.EOF) {
		return &syntaxError{problem: "unexpected end of JSON input", at: len(r.data) - r.start()}
	}
	return err
}

// peek returns the byte at the position. The data must not end there.
func (r *reader) peek() (byte, error) {
	if r.pos == len(r.data) {
		if err := r.more(); err != nil {
			return 0, err
		}
	}
	return r.data[r.pos], nil
}

// next returns the next byte that is not a space, without reading beyond it. At the end it returns
// errEmpty.
func (r *reader) next() (byte, error) {
	for {
		for r.pos < len(r.data) {
			switch b := r.data[r.pos]; b {
			case ' ', '\t', '\r', '\n':
				r.pos++
			default:
				return b, nil
			}
		}
		if err := r.fill(); errors.Is(err, io.EOF) {
			return 0, errEmpty
		} else if err != nil {
			return 0, err
		}
	}
}

// token is like next, but the data must not end.
func (r *reader) token() (byte, error) {
	b, err := r.next()
	if errors.Is(err, errEmpty) {
		err = r.more()
	}
	return b, err
}

// A syntaxError is an error about data that is not JSON.
type syntaxError struct {
	problem string
	join    string // between the path and the problem; empty: a colon
	at      int    // byte, starting at 1
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.problem, e.at) }

func (r *reader) unexpected(b byte, where string) error {
	char := `'"'`
	switch {
	case b == '\'':
		char = `'\''`
	case b != '"':
		quoted := strconv.Quote(string(rune(b)))
		char = "'" + quoted[1:len(quoted)-1] + "'"
	}
	return &syntaxError{problem: "invalid character " + char + " " + where, at: r.pos - r.start() + 1}
}

// value decodes a value into v, or only checks it if v is not valid. If n is nil, any value fits.
func (r *reader) value(n *target, v reflect.Value) error {
	first, err := r.token()
	if err != nil {
		return err
	}
	if r.values++; r.values > maxValues {
		return earshot.InvalidBody("it has more than %d values", maxValues)
	}
	kind := kindOf(first)
	if kind == "" {
		return r.unexpected(first, "looking for beginning of value")
	}
	for v.Kind() == reflect.Pointer {
		if kind == "null" {
			v.SetZero()
			return r.literal("null")
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	start := r.pos
	switch {
	case n == nil:
		if err := r.skip(kind); err != nil || !v.IsValid() {
			return err
		}
		return json.Unmarshal(r.data[start:r.pos], v.Addr().Interface())
	case n.variant:
		if !v.IsValid() {
			v = reflect.New(n.t).Elem()
		}
		v = reflect.ValueOf(v.Addr().Interface().(Variant).Form(first)).Elem()
		return r.typed(targetOf(v.Type()), kind, v)
	case n.single && kind == "object":
		if v.IsValid() {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			v = v.Index(0)
		}
		return r.typed(n.elem, kind, v)
	}
	return r.typed(n, kind, v)
}

// typed is like value. The type does not have several forms.
func (r *reader) typed(n *target, kind string, v reflect.Value) error {
	start := r.pos
	switch {
	case n == nil:
		return r.skip(kind)
	case n.kind != "" && n.kind != kind && kind != "null":
		return &misfit{want: n.name, got: jsonKinds[kind]}
	case n.own:
		if err := r.skip(kind); err != nil {
			return err
		}
		if raw := r.data[start:r.pos]; len(raw) > maxScalar {
			return &misfit{want: "shorter", got: valueName(raw)}
		}
		if !v.IsValid() {
			v = reflect.New(n.t).Elem()
		}
		return n.set(v, r.data[start:r.pos])
	case kind == "null":
		if k := v.Kind(); k == reflect.Map || k == reflect.Slice {
			v.SetZero()
		}
		return r.literal(kind)
	case kind == "object":
		return r.object(n, v)
	case kind == "array":
		return r.list(n, v)
	case kind == "string":
		text, err := r.text()
		if err != nil {
			return err
		}
		if err := n.checkLength(text); err != nil || !v.IsValid() {
			return err
		}
		v.SetString(string(unquote(text)))
		return nil
	}
	if err := r.skip(kind); err != nil || !v.IsValid() {
		return err
	}
	v.SetBool(r.data[start] == 't')
	return nil
}

// skip reads a value that must only be JSON.
func (r *reader) skip(kind string) error {
	switch kind {
	case "object":
		return r.object(nil, reflect.Value{})
	case "array":
		return r.list(nil, reflect.Value{})
	case "string":
		_, err := r.text()
		return err
	case "number":
		return r.number()
	}
	return r.literal(map[byte]string{'t': "true", 'f': "false", 'n': "null"}[r.data[r.pos]])
}

// literal reads true, false or null.
func (r *reader) literal(name string) error {
	for i := range len(name) {
		b, err := r.peek()
		if err != nil {
			return err
		}
		if b != name[i] {
			return r.unexpected(b, fmt.Sprintf("in literal %s (expecting '%c')", name, name[i]))
		}
		r.pos++
	}
	return nil
}

// number reads a number. It may end the data.
func (r *reader) number() error {
	start := r.pos
	if r.data[r.pos] == '-' {
		r.pos++
	}
	if b, err := r.peek(); err == nil && b == '0' {
		r.pos++
	} else if err := r.digits(start, "in numeric literal"); err != nil {
		return err
	}
	if r.has('.') {
		r.pos++
		if err := r.digits(start, "after decimal point in numeric literal"); err != nil {
			return err
		}
	}
	if r.has('e') || r.has('E') {
		r.pos++
		if r.has('+') || r.has('-') {
			r.pos++
		}
		return r.digits(start, "in exponent of numeric literal")
	}
	return nil
}

// has reports whether the next byte is b.
func (r *reader) has(b byte) bool {
	got, err := r.peek()
	return err == nil && got == b
}

// digits reads one or more digits of a number.
func (r *reader) digits(number int, where string) error {
	start := r.pos
	for {
		for r.pos < len(r.data) && '0' <= r.data[r.pos] && r.data[r.pos] <= '9' {
			r.pos++
		}
		switch {
		case r.pos-number > maxScalar:
			return earshot.InvalidBody("the number at byte %d has more than %d digits", number+1, maxScalar)
		case r.pos == len(r.data):
			if err := r.fill(); errors.Is(err, io.EOF) && r.pos > start {
				return nil
			} else if err != nil {
				return r.more()
			}
		case r.pos == start:
			return r.unexpected(r.data[r.pos], where)
		default:
			return nil
		}
	}
}

// plain has the bytes that stand for themselves in a string.
var plain = func() (p [256]bool) {
	for b := range p {
		p[b] = b >= ' ' && b != '"' && b != '\\'
	}
	return p
}()

// text reads a string. It returns it as it is written, in quotes.
func (r *reader) text() ([]byte, error) {
	start := r.pos
	for r.pos++; ; {
		i := r.pos
		for i < len(r.data) && plain[r.data[i]] {
			i++
		}
		r.pos = i
		if r.pos-start > maxText {
			return nil, earshot.InvalidBody("the text at byte %d is longer than %d bytes", start+1, maxText)
		}
		b, err := r.peek()
		if err != nil {
			return nil, err
		}
		switch {
		case plain[b]:
		case b == '"':
			r.pos++
			return r.data[start:r.pos], nil
		case b != '\\':
			return nil, r.unexpected(b, "in string literal")
		default:
			if err := r.escape(); err != nil {
				return nil, err
			}
		}
	}
}

// escape reads a backslash and what follows it.
func (r *reader) escape() error {
	r.pos++
	b, err := r.peek()
	if err != nil {
		return err
	}
	if b != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), b) < 0 {
			return r.unexpected(b, "in string escape code")
		}
		r.pos++
		return nil
	}
	r.pos++
	for range 4 {
		b, err := r.peek()
		if err != nil {
			return err
		}
		if hexDigit(b) < 0 {
			return r.unexpected(b, `in \u hexadecimal character escape`)
		}
		r.pos++
	}
	return nil
}

// enter begins a list or an object.
func (r *reader) enter() error {
	r.pos++
	if r.depth++; r.depth > maxDepth {
		return earshot.InvalidBody("lists and objects are nested more than %d levels deep at byte %d", maxDepth, r.pos)
	}
	return nil
}

// proceed reads what is between two elements or after the last one.
func (r *reader) proceed(closing byte, where string) (done bool, err error) {
	b, err := r.token()
	switch {
	case err != nil:
		return false, err
	case b == closing:
		r.depth--
	case b != ',':
		return false, r.unexpected(b, where)
	}
	r.pos++
	return b == closing, nil
}

// isEmpty reports whether the list or object ends immediately.
func (r *reader) isEmpty(closing byte) (bool, error) {
	if b, err := r.token(); err != nil || b != closing {
		return false, err
	}
	return r.proceed(closing, "")
}

func (r *reader) object(n *target, v reflect.Value) error {
	if err := r.enter(); err != nil {
		return err
	}
	if v.Kind() == reflect.Map && v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for done, err := r.isEmpty('}'); !done; done, err = r.proceed('}', "after object key:value pair") {
		if err != nil {
			return err
		}
		if err := r.member(n, v); err != nil {
			return err
		}
	}
	return nil
}

// member decodes a member of an object.
func (r *reader) member(n *target, v reflect.Value) error {
	if err := r.expect('"', "looking for beginning of object key string"); err != nil {
		return err
	}
	text, err := r.text()
	if err != nil {
		return err
	}
	key := string(unquote(text))
	if err := r.expect(':', "after object key"); err != nil {
		return err
	}
	r.pos++
	f, known := n.member(key)
	if !known && r.strict && !n.lenient {
		return n.unknown(key)
	}
	var into reflect.Value
	switch {
	case !v.IsValid():
	case v.Kind() == reflect.Map:
		into = reflect.New(v.Type().Elem()).Elem()
	case known:
		into = fieldByIndex(v, f.index)
	}
	if err := r.value(f.target, into); err != nil {
		return within(err, "."+earshot.Clip(key, 60))
	}
	if v.Kind() == reflect.Map {
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), into)
	}
	return nil
}

// fieldByIndex returns a field, perhaps of an embedded struct. Embedded pointers that are nil are
// allocated.
func fieldByIndex(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// expect returns an error unless b is the next byte.
func (r *reader) expect(b byte, where string) error {
	got, err := r.token()
	if err == nil && got != b {
		err = r.unexpected(got, where)
	}
	return err
}

func (r *reader) list(n *target, v reflect.Value) error {
	if err := r.enter(); err != nil {
		return err
	}
	var elem *target
	if n != nil {
		elem = n.elem
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	} else if v.IsValid() {
		v.SetZero()
	}
	done, err := r.isEmpty(']')
	for i := 0; !done; i++ {
		if err != nil {
			return err
		}
		if n != nil && n.bound.CheckLength(i+1) != nil {
			total, err := r.count(i + 1)
			if err != nil {
				return err
			}
			return n.bound.CheckLength(total)
		}
		if err := r.value(elem, elementOf(v, i)); err != nil {
			return within(err, "["+strconv.Itoa(i)+"]")
		}
		done, err = r.proceed(']', "after array element")
	}
	return nil
}

// elementOf returns the element with this index, which a slice does not have yet. An array may not
// have it.
func elementOf(v reflect.Value, i int) reflect.Value {
	if v.Kind() == reflect.Slice {
		v.Grow(1)
		v.SetLen(i + 1)
		v.Index(i).SetZero()
	}
	if !v.IsValid() || i >= v.Len() {
		return reflect.Value{}
	}
	return v.Index(i)
}

// count returns the length of the list whose element n comes next. It drops what it reads, so that a
// list that is too long takes no memory.
func (r *reader) count(n int) (int, error) {
	for depth := 1; depth > 0; {
		if r.from != nil && r.pos > len(r.data)/2 {
			r.data, r.pos = append(r.data[:0], r.data[r.pos:]...), 0
		}
		if r.pos == len(r.data) {
			if err := r.fill(); errors.Is(err, io.EOF) {
				return n, nil
			} else if err != nil {
				return 0, err
			}
		}
		switch r.data[r.pos] {
		case '"':
			var syntax *syntaxError
			if _, err := r.text(); errors.As(err, &syntax) {
				return n, nil
			} else if err != nil {
				return 0, err
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 1 {
				n++
			}
		}
		r.pos++
	}
	return n, nil
}

// unquote returns the contents of a string in quotes that text returned.
func unquote(text []byte) []byte {
	text = text[1 : len(text)-1]
	i := bytes.IndexByte(text, '\\')
	if i < 0 {
		return text
	}
	s := append(make([]byte, 0, len(text)), text[:i]...)
	for i < len(text) {
		if text[i] != '\\' {
			j := i + 1
			for j < len(text) && text[j] != '\\' {
				j++
			}
			s, i = append(s, text[i:j]...), j
			continue
		}
		switch b := text[i+1]; b {
		case 'b':
			s = append(s, '\b')
		case 'f':
			s = append(s, '\f')
		case 'n':
			s = append(s, '\n')
		case 'r':
			s = append(s, '\r')
		case 't':
			s = append(s, '\t')
		case 'u':
			c, length := escapedRune(text[i:])
			s, i = utf8.AppendRune(s, c), i+length
			continue
		default:
			s = append(s, b)
		}
		i += 2
	}
	return s
}

// escapedRune returns the character that text starts with, written as \u and four digits or as two
// of them, and its length. Half of a pair is a replacement character.
func escapedRune(text []byte) (c rune, length int) {
	c = hexRune(text[2:6])
	if !utf16.IsSurrogate(c) {
		return c, 6
	}
	if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
		if pair := utf16.DecodeRune(c, hexRune(text[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hexRune(digits []byte) (c rune) {
	for _, b := range digits {
		c = c<<4 | rune(hexDigit(b))
	}
	return c
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b && b <= 'f':
		return int(b-'a') + 10
	case 'A' <= b && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}
