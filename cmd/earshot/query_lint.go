package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"earshot/internal/query"
)

// A lintResult is the result of a lint, prepared for output.
type lintResult struct{ query.Findings }

var errNotValid = errors.New("the query is invalid")

// printLint prints the result for a query, and returns an error if the query is invalid.
func (p *program) printLint(text string, strict bool) error {
	mode := query.Lenient
	if strict {
		mode = query.Strict
	}
	result := lintResult{query.Check(text, mode)}
	var err error
	if p.json {
		err = p.printJSON(result)
	} else {
		_, err = fmt.Fprint(p.out, result.explain(text, strict))
	}
	if err == nil && !result.Valid {
		return errNotValid
	}
	return err
}

// explain returns the result as text. It also describes what strict mode would reject.
func (r lintResult) explain(text string, strict bool) string {
	var b strings.Builder
	say := func(kind string, list []query.Remark) {
		for _, m := range list {
			fmt.Fprintf(&b, "%s at %d: %s\n%s", kind, m.Position, clean(m.Message), pointAt(text, m.Position))
		}
	}
	say("error", r.Errors)
	warnings := r.Warnings
	if r.Valid && !strict {
		refused := query.Check(text, query.Strict).Errors
		say("strict: error", refused)
		warnings = slices.DeleteFunc(slices.Clone(warnings), func(w query.Remark) bool { return slices.Contains(refused, w) })
	}
	say("warning", warnings)
	if r.Valid {
		fmt.Fprintf(&b, "normal form: %s\n", clean(r.Normal))
	}
	return b.String()
}

// The number of characters shown around a position in a line.
const (
	shownBefore = 60
	shownAfter  = 30
)

// pointAt returns the line of text that contains a position, and a second line with a mark below
// it. It returns "" for an empty text.
func pointAt(text string, position int) string {
	if text == "" {
		return ""
	}
	const margin, ellipsis = "  ", "…"
	all := []rune(text)
	at := min(max(position-1, 0), len(all))
	start, end := at, at
	for start > 0 && all[start-1] != '\n' && at-start < shownBefore {
		start--
	}
	for end < len(all) && all[end] != '\n' && end-at < shownAfter {
		end++
	}
	line, column := string(all[start:end]), at-start
	if start > 0 && all[start-1] != '\n' {
		line, column = ellipsis+line, column+1
	}
	if end < len(all) && all[end] != '\n' {
		line += ellipsis
	}
	return margin + strings.TrimRight(clean(line), " ") + "\n" + margin + strings.Repeat(" ", column) + "^\n"
}
