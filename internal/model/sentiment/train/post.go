package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// postFiles are posts without labels, the English ones of which teachers have judged,
// and of how many rows one is learnt from.
var postFiles = []struct {
	name  string
	every int
}{
	{"posts/twitter_posts.jsonl.gz", 2},
	{"posts/reviews_posts.jsonl.gz", 4},
	{"posts/hackernews_posts.jsonl.gz", 2},
	{"posts/forums_posts.jsonl.gz", 1},
	{"posts/comments_posts.jsonl.gz", 1},
}

// judgedBytes is how much of a post is learnt from. The teachers have read a little more.
const judgedBytes = 300

// readPosts reads the posts that teachers have judged.
func readPosts(data string, told judgements, s settings) ([]text, error) {
	var all []text
	for _, file := range postFiles {
		raw, err := readGzip(filepath.Join(data, file.name))
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<24)
		for i := 0; lines.Scan(); i++ {
			shares, ok := told.of(file.name, i)
			if !ok || i%file.every != 0 {
				continue
			}
			var post struct{ Contents string }
			if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
				return nil, fmt.Errorf("read %s: line %d: %w", file.name, i+1, err)
			}
			all = append(all, newPost(cut(post.Contents), shares, s))
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", file.name, err)
		}
	}
	return all, nil
}

// newPost returns a text of which nothing is known but what teachers think. They expect
// the sentiments of tweets and the emotions of comments.
func newPost(contents string, shares [outputs]byte, s settings) text {
	t := text{
		set: "posts", mix: [2]string{"semeval", "goemotions"}, language: "en", text: contents,
		weight: [2]float32{float32(s.Posts), float32(s.Posts)},
	}
	t.blend(shares, 0, sentiments, 1)
	t.blend(shares, sentiments, outputs, 1)
	return t
}

// cut returns the words of the first judgedBytes bytes of a text.
func cut(text string) string {
	if len(text) <= judgedBytes {
		return text
	}
	text = text[:judgedBytes]
	return text[:max(strings.LastIndexByte(text, ' '), 0)]
}
