package train

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"earshot/internal/model/sentiment"
)

// postFiles contain unlabeled posts, of which every n-th with soft labels is used.
var postFiles = []struct {
	name   string
	every  int
	domain sentiment.Domain
	open   bool // see set.open
}{
	{"posts/twitter_posts.jsonl.gz", 1, sentiment.Social, false},
	{"posts/reviews_posts.jsonl.gz", 4, sentiment.Review, true},
	{"posts/hackernews_posts.jsonl.gz", 2, sentiment.News, true},
	{"posts/forums_posts.jsonl.gz", 1, sentiment.Forum, true},
	{"posts/comments_posts.jsonl.gz", 1, sentiment.Forum, true},
}

// maxPostBytes is the number of bytes of a post that are used. The teachers read slightly more.
const maxPostBytes = 300

// readPosts reads the posts that the teacher models labeled.
func readPosts(data string, labels softLabels, s settings) ([]text, error) {
	var all []text
	for _, file := range postFiles {
		if s.Open && !file.open {
			continue
		}
		raw, err := readGzip(filepath.Join(data, file.name))
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<24)
		for i := 0; lines.Scan(); i++ {
			probabilities, ok := labels.find(file.name, i)
			if !ok || i%(file.every*s.PostsEvery) != 0 {
				continue
			}
			var post struct{ Contents, Language string }
			if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
				return nil, fmt.Errorf("read %s: line %d: %w", file.name, i+1, err)
			}
			if post.Language == "" && looksEnglish(post.Contents) {
				post.Language = "en"
			}
			if !slices.Contains(postLanguages, post.Language) {
				continue
			}
			t := newPost(truncate(post.Contents), post.Language, file.domain, probabilities, s)
			all = append(all, t)
			all = append(all, labels.fragments(t, file.name, i, post.Contents, s)...)
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", file.name, err)
		}
	}
	return all, nil
}

// postLanguages are the languages of posts that teachers label well.
var postLanguages = strings.Fields("en ru de it")

// looksEnglish reports whether a text contains one of the most frequent English words.
func looksEnglish(text string) bool {
	for _, word := range []string{" the ", " and ", " was ", " is ", " to "} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// newPost returns a text that has only soft labels.
func newPost(contents, language string, domain sentiment.Domain, probabilities [outputs]byte, s settings) text {
	t := text{
		set: "posts", source: "posts", part: true, language: language, domain: domain, text: contents,
		weight: [2]float32{float32(s.Posts), float32(s.Posts)},
	}
	if language != "en" {
		t.weight[1] = 0
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
