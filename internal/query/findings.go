package query

// Findings are the errors and warnings of a query, as the management API and the command line show
// them.
type Findings struct {
	Valid    bool     `json:"valid"`
	Errors   []Remark `json:"errors"`
	Warnings []Remark `json:"warnings"`
	Normal   string   `json:"normal"` // normal form; empty if the query is invalid
}

// A Remark is an error or a warning about a query.
type Remark struct {
	Position int    `json:"position"` // in characters, from 1
	Message  string `json:"message"`
}

// Check lints a query.
func Check(text string, mode Mode) Findings {
	report := Lint(text, mode)
	f := Findings{Valid: report.Query != nil, Errors: remarks(report.Errors), Warnings: remarks(report.Warnings)}
	if f.Valid {
		f.Normal = report.Query.String()
	}
	return f
}

func remarks[T ParseError | Warning](list []T) []Remark {
	shown := make([]Remark, len(list))
	for i, r := range list {
		shown[i] = Remark(Warning(r))
	}
	return shown
}
