package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// note prints a message for people. It prints nothing with --json.
func (p *program) note(format string, args ...any) error {
	if p.json {
		return nil
	}
	_, err := fmt.Fprintf(p.out, format+"\n", args...)
	return err
}

// printList prints items as a table with the given columns, or as a JSON array.
func (p *program) printList(columns []string, items []json.RawMessage) error {
	if p.json {
		if items == nil {
			items = []json.RawMessage{}
		}
		return p.printJSON(items)
	}
	return table(p.out, func(w io.Writer) error {
		fmt.Fprintln(w, strings.ToUpper(strings.Join(columns, "\t")))
		for _, item := range items {
			record, err := readRecord(item)
			if err != nil {
				return err
			}
			cells := make([]string, len(columns))
			for i, c := range columns {
				cells[i] = record.cell(c)
			}
			fmt.Fprintln(w, strings.Join(cells, "\t"))
		}
		return nil
	})
}

// printRecord prints one object, one field per line in the server's order, or as JSON. It prints
// nothing for a response without a body.
func (p *program) printRecord(raw json.RawMessage) error {
	switch {
	case raw == nil:
		return nil
	case p.json:
		return p.printJSON(raw)
	}
	record, err := readRecord(raw)
	if err != nil {
		return err
	}
	return table(p.out, func(w io.Writer) error {
		for _, f := range record {
			fmt.Fprintf(w, "%s\t%s\n", clean(f.name), f.text())
		}
		return nil
	})
}

// printAs prints an object with print, or as JSON. what is its name in an error, such as the source.
func printAs[T any](p *program, raw json.RawMessage, what string, print func(T) error) error {
	if p.json {
		return p.printJSON(raw)
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return print(v)
}

func (p *program) printJSON(v any) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false) // names and queries contain ampersands
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func table(out io.Writer, fill func(io.Writer) error) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if err := fill(w); err != nil {
		return err
	}
	return w.Flush()
}

// fieldList are the fields of a JSON object, in order.
type fieldList []listField

type listField struct {
	name  string
	value json.RawMessage
}

func readRecord(raw json.RawMessage) (fieldList, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("the response is not an object: %.80s", raw)
	}
	var r fieldList
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		r = append(r, listField{fmt.Sprint(name), value})
	}
	return r, nil
}

// cell returns the text of a field, or "" if it is missing.
func (r fieldList) cell(name string) string {
	for _, f := range r {
		if f.name == name {
			return f.text()
		}
	}
	return ""
}

// text returns a value on one line: strings without quotes, lists of scalars separated by commas,
// everything else as JSON.
func (f listField) text() string {
	var s string
	if json.Unmarshal(f.value, &s) == nil {
		return clean(s)
	}
	if line, ok := commaList(f.value); ok {
		return clean(line)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, f.value); err != nil {
		return clean(string(f.value))
	}
	return clean(b.String())
}

// commaList joins a list of scalars. Numbers keep all digits.
func commaList(raw json.RawMessage) (string, bool) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return "", false
	}
	words := make([]string, len(items))
	for i, item := range items {
		if item[0] == '{' || item[0] == '[' {
			return "", false
		}
		if json.Unmarshal(item, &words[i]) != nil {
			words[i] = string(item)
		}
	}
	return strings.Join(words, ", "), true
}

// clean replaces control characters, so a value stays on its line and cannot control the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
