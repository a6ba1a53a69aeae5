package main

import (
	"cmp"
	"fmt"
	"slices"

	"earshot/internal/http/client"
)

// maxErrors is the number of rejected lines per file whose errors are printed.
const maxErrors = 20

// A summary counts the accepted and rejected lines of a file.
type summary struct {
	File     string             `json:"file"`
	Accepted int64              `json:"accepted"`
	Rejected int64              `json:"rejected"`
	Errors   []client.LineError `json:"errors"` // numbered by lines of the file

	lines   int64 // records read so far, including earlier runs
	resumed int64 // records processed by an earlier run
}

// resume adds the counts of an earlier run.
func (s *summary) resume(at importPosition) {
	s.lines, s.resumed = at.Lines, at.Lines
	s.Accepted, s.Rejected = at.Accepted, at.Rejected
}

// add adds a chunk and the server's result for its lines.
func (s *summary) add(c chunk, imported client.ImportResult) {
	s.lines += c.read
	s.Accepted += imported.Accepted
	s.Rejected += imported.Rejected + int64(len(c.invalid))
	errs := c.invalid
	for _, e := range imported.Errors {
		if e.Line >= 1 && e.Line <= int64(len(c.lines)) {
			e.Line = c.lines[e.Line-1]
		}
		errs = append(errs, e)
	}
	slices.SortStableFunc(errs, func(a, b client.LineError) int { return cmp.Compare(a.Line, b.Line) })
	s.Errors = append(s.Errors, errs[:min(len(errs), maxErrors-len(s.Errors))]...)
}

func (p *program) printSummaries(all []*summary) error {
	if p.json {
		for _, s := range all {
			if s.Errors == nil {
				s.Errors = []client.LineError{}
			}
		}
		return p.printJSON(all)
	}
	for _, s := range all {
		p.printSummary(s)
	}
	return nil
}

func (p *program) printSummary(s *summary) {
	fmt.Fprintf(p.out, "%s: %d accepted, %d rejected", clean(s.File), s.Accepted, s.Rejected)
	if s.resumed > 0 {
		fmt.Fprintf(p.out, " (%d lines imported earlier)", s.resumed)
	}
	fmt.Fprintln(p.out)
	for _, e := range s.Errors {
		fmt.Fprintf(p.out, "  line %d: %s\n", e.Line, clean(e.Message))
	}
	if explained := int64(len(s.Errors)); explained > 0 && explained < s.Rejected {
		fmt.Fprintf(p.out, "  and %d more\n", s.Rejected-explained)
	}
}
