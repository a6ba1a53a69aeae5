package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// postFiles contain unlabeled posts. The teacher models labeled the English ones, of which every
// n-th is used.
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

// maxPostBytes is the number of bytes of a post that are used. The teachers read slightly more.
const maxPostBytes = 300

// readPosts reads the posts that the teacher models labeled.
func readPosts(data string, labels softLabels, s settings) ([]text, error) {
	var all []text
	for _, file := range postFiles {
		raw, err := readGzip(filepath.Join(data, file.name))
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<24)
		for i := 0; lines.Scan(); i++ {
			probabilities, ok := labels.find(file.name, i)
			if !ok || i%file.every != 0 {
				continue
			}
			var post struct{ Contents string }
			if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
				return nil, fmt.Errorf("read %s: line %d: %w", file.name, i+1, err)
			}
			all = append(all, newPost(truncate(post.Contents), probabilities, s))
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", file.name, err)
		}
	}
	return all, nil
}

// newPost returns a text that has only soft labels. The teachers expect the distribution of
// sentiment in tweets and of emotions in comments.
func newPost(contents string, probabilities [outputs]byte, s settings) text {
	t := text{
		set: "posts", mix: [2]string{"semeval", "goemotions"}, language: "en", text: contents,
		weight: [2]float32{float32(s.Posts), float32(s.Posts)},
	}
	t.blendTarget(probabilities, 0, sentiments, 1)
	t.blendTarget(probabilities, sentiments, outputs, 1)
	return t
}

// truncate returns the complete words in the first maxPostBytes bytes of a text.
func truncate(text string) string {
	if len(text) <= maxPostBytes {
		return text
	}
	text = text[:maxPostBytes]
	return text[:max(strings.LastIndexByte(text, ' '), 0)]
}
