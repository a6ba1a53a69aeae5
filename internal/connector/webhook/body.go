package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"earshot/internal/ingest/item/record"
)

// records returns the records in a body in the form of [record.Decode]: the elements of a list, of
// the member items of an object, one object, or JSON lines. An error is what is wrong with a record,
// or with the whole body.
func records(body []byte) iter.Seq2[[]byte, error] {
	body = trim(body)
	switch {
	case len(body) == 0:
		return one(nil, errors.New("the body is empty"))
	case !json.Valid(body):
		if body[0] == '{' && bytes.ContainsRune(body, '\n') {
			return lines(body)
		}
		return one(nil, syntaxError(body))
	case body[0] == '[':
		return elements(body)
	}
	var list struct {
		Items json.RawMessage `json:"items"`
	}
	if json.Unmarshal(body, &list) == nil && len(list.Items) > 0 && list.Items[0] == '[' {
		return elements(list.Items)
	}
	return one(limited(body, nil))
}

// trim removes a byte order mark and whitespace.
func trim(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
}

func one(data []byte, err error) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) { yield(data, err) }
}

// elements returns the elements of a valid JSON list, without decoding it as a whole.
func elements(list []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		d := json.NewDecoder(bytes.NewReader(list))
		if _, err := d.Token(); err != nil {
			yield(nil, err)
			return
		}
		for d.More() {
			var element json.RawMessage
			err := d.Decode(&element)
			if !yield(limited(element, err)) || err != nil {
				return
			}
		}
	}
}

// lines returns the lines that are not empty.
func lines(body []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for line := range bytes.Lines(body) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(limited(line, nil)) {
				return
			}
		}
	}
}

// limited returns an error instead of a record that is too long.
func limited(data []byte, err error) ([]byte, error) {
	if err == nil && len(data) > record.MaxBytes {
		return nil, fmt.Errorf("the item is longer than %d bytes", record.MaxBytes)
	}
	return data, err
}

// mappedRecords is records for bodies that a mapping describes. Each line of JSON lines is a body.
func mappedRecords(m *mapping, body []byte) iter.Seq2[[]byte, error] {
	body = trim(body)
	switch {
	case len(body) == 0:
		return one(nil, errors.New("the body is empty"))
	case json.Valid(body) || body[0] != '{' || !bytes.ContainsRune(body, '\n'):
		return m.records(body)
	}
	return func(yield func([]byte, error) bool) {
		for line, err := range lines(body) {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			for data, err := range m.records(line) {
				if !yield(data, err) {
					return
				}
			}
		}
	}
}

// syntaxError returns what is wrong with a body that is not valid JSON.
func syntaxError(body []byte) error {
	var syntax *json.SyntaxError
	if err := json.Unmarshal(body, new(any)); errors.As(err, &syntax) {
		return fmt.Errorf("the body is not valid JSON: %w at byte %d", err, syntax.Offset)
	}
	return errors.New("the body is not valid JSON")
}
