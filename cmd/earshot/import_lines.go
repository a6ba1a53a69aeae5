package main

import (
	"encoding/json"
	"io"

	"earshot/internal/ingest/item/record"
)

// lineReader reads the posts of a file.
type lineReader struct {
	*record.Reader
	network string // for posts without a type

	// edit changes a post before it is sent. It may be nil.
	edit func(post []byte) ([]byte, error)
}

func newLines(in io.Reader, network string) (*lineReader, error) {
	r, err := record.NewReader(in)
	return &lineReader{Reader: r, network: network}, err
}

// next returns one post as [record.Reader.Next] does.
func (l *lineReader) next() (post []byte, at int64, err error) {
	post, at, err = l.Next()
	if l.network != "" && len(post) > 0 {
		post = withField(post, "type", l.network)
	}
	if l.edit != nil && err == nil && len(post) > 0 {
		post, err = l.edit(post)
	}
	return post, at, err
}

// withField adds a text field to an object that lacks it. Anything but an object is left for the
// server to reject.
func withField(line []byte, name, text string) []byte {
	var post map[string]json.RawMessage
	if text == "" || json.Unmarshal(line, &post) != nil || post == nil {
		return line
	}
	switch raw := string(post[name]); raw {
	case "", `""`, "null": // missing; the server checks any other value
	default:
		return line
	}
	value, err := json.Marshal(text)
	if err != nil {
		return line
	}
	post[name] = value
	filled, err := json.Marshal(post)
	if err != nil {
		return line
	}
	return filled
}
