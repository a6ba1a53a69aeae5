package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"earshot/internal/geo"
)

const (
	minWordCount  = 10  // occurrences; below that, a word is rare
	minLowerShare = 0.5 // share of its occurrences in lower case
)

// A wordCounter counts how often each word is written in everyday text. A name that is
// usually written in lower case there is a word, too, and says little when it stands
// alone: nice, mobile, reading.
type wordCounter map[string]int

func (c wordCounter) add(text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		c[word]++
	}
}

// words returns the spellings that are words. Scripts without case have none.
func (c wordCounter) words() map[string]bool {
	small, all := map[string]int{}, map[string]int{}
	for word, n := range c {
		lower := strings.ToLower(word)
		if lower == strings.ToUpper(word) {
			continue
		}
		key := geo.Normalize(word)
		all[key] += n
		if word == lower {
			small[key] += n
		}
	}
	words := map[string]bool{}
	for key, n := range small {
		if n >= minWordCount && float64(n) >= minLowerShare*float64(all[key]) {
			words[key] = true
		}
	}
	return words
}

// addTable counts the column text of a table.
func (c wordCounter) addTable(path string) error {
	rows, err := readTable(path)
	if err != nil {
		return err
	}
	for _, r := range rows {
		c.add(r["text"])
	}
	return nil
}

// addPosts counts the contents of posts, which are lines of JSON.
func (c wordCounter) addPosts(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	posts := json.NewDecoder(bufio.NewReader(r))
	for {
		var post struct {
			Contents string `json:"contents"`
		}
		if err := posts.Decode(&post); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		c.add(post.Contents)
	}
}
