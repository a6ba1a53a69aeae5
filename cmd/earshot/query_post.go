package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"earshot"
	"earshot/internal/model/enrich"
)

// readQueryLine parses an input line of query match: a JSON object with a query and a post. The
// names are those of import lines or of the query language, in any case. The post is enriched, as
// the service would do before matching. Other keys are ignored, and so are images, which queries
// cannot refer to.
//
// It accepts common variants: numbers and booleans as strings, lists as strings, countries by name.
// Errors describe what is wrong with the line.
func readQueryLine(line []byte) (text string, p *earshot.Post, err error) {
	members, err := readObject(line)
	if err != nil {
		return "", nil, err
	}
	query, given := members["query"]
	if !given {
		return "", nil, errors.New("query is missing")
	}
	text, ok := query.(string)
	if !ok {
		return "", nil, errors.New("query must be a string")
	}
	if p, err = newQueryPost(members); err != nil {
		return "", nil, err
	}
	return text, p, nil
}

// readObject returns the members of the JSON object in a line.
func readObject(line []byte) (map[string]any, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("the line is not UTF-8")
	}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // a byte order mark at the start of a file
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber() // IDs may have more digits than a float64
	var value any
	switch err := in.Decode(&value); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the line is empty")
	case err != nil:
		return nil, fmt.Errorf("the line is not JSON: %w", err)
	}
	members, ok := value.(map[string]any)
	if _, err := in.Token(); !ok || !errors.Is(err, io.EOF) {
		return nil, errors.New("the line is not one JSON object")
	}
	return members, nil
}

// newQueryPost returns an enriched post with the given members.
func newQueryPost(members map[string]any) (*earshot.Post, error) {
	posts := make([]earshot.Post, 1)
	p := &posts[0]
	if err := setMembers(p, postMembers, members); err != nil {
		return nil, err
	}
	if err := setDottedCustoms(p, members); err != nil {
		return nil, err
	}
	p.Place.State = stateOf(p.Place.Country, p.Place.State)
	if p.GUID == "" {
		p.GUID = p.URL
	}
	enrich.Facts().All(posts)
	return p, nil
}
