package query

import (
	"slices"
	"strings"
)

// Exclude returns a query without the posts that have one of the terms, written as in a [Form].
func Exclude(text string, terms []string) (string, error) {
	if f, err := FormOf(text); err == nil {
		f.None = append(slices.Clip(f.None), terms...)
		return Build(f)
	}
	any, err := Build(Form{Any: [][]string{terms}})
	if err != nil || any == "" {
		return text, err
	}
	excluding := "(" + strings.TrimSpace(text) + ") AND NOT (" + any + ")"
	_, err = Parse(excluding)
	return excluding, err
}
