package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"earshot/internal/geo"
	"earshot/internal/model/dataset"
)

const (
	minWordCount  = 10  // minimum occurrences of a common word
	minLowerShare = 0.5 // minimum share of its occurrences that are lowercase
)

// A wordCounter counts the words of everyday text, by exact spelling. A name that is usually
// written in lower case there is also a common word, and is weak evidence of a place when it
// appears alone: nice, mobile, reading.
type wordCounter map[string]int

func (c wordCounter) add(text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		c[word]++
	}
}

// chatWords are words of conversations, which are rare in edited text.
var chatWords = []string{"oh", "ok", "hi", "yo", "ya", "pm", "am"}

// words returns the common words, normalized. Words in scripts without case are never included.
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
	for _, key := range chatWords {
		words[key] = true
	}
	for key, n := range small {
		if n >= minWordCount && float64(n) >= minLowerShare*float64(all[key]) {
			words[key] = true
		}
	}
	return words
}

// addTable counts the words in the text column of a table.
func (c wordCounter) addTable(path string) error {
	rows, err := dataset.Table(path)
	if err != nil {
		return err
	}
	for _, r := range rows {
		c.add(r["text"])
	}
	return nil
}

// addPosts counts the words in the contents of posts, stored as JSON lines.
func (c wordCounter) addPosts(path string) error {
	for line, err := range dataset.Lines(path) {
		if err != nil {
			return err
		}
		var post struct {
			Contents string `json:"contents"`
		}
		if err := json.Unmarshal([]byte(line), &post); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		c.add(post.Contents)
	}
	return nil
}
