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

// readQueryLine reads a line of query match: a JSON object with a query, and a post
// by the names of an import's line or by those of the query language, in any case of
// letters. The post comes enriched, as the service would match it. Other keys are
// ignored, and so are images, which no query asks for.
//
// It forgives what programs write for the same thing: numbers and truths as
// strings, a list as a string, countries by name. An error says what is wrong with
// this line.
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

// readObject returns the members of the one JSON object that the line is.
func readObject(line []byte) (map[string]any, error) {
	if !utf8.Valid(line) {
		return nil, errors.New("the line is not UTF-8")
	}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // a byte order mark, before the first line of a file
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber() // ids may have more digits than a float64
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

// newQueryPost makes a post of what the members say, and completes it.
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
