package train

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"earshot/internal/model/dataset"
)

// openSources are the sources of posts and reviews with a license that allows use. The id of a row
// starts with its source.
var openSources = strings.Fields("afrisenti ajgt arsarcasm2 asap astd cedr chabsa film husst kazsandra lcc lccnews nusax osc paita redv1 redv2 rusentne smsa")

// postLanguages are the languages that have posts only from sources without a clear license.
var postLanguages = strings.Fields("bg fa hi hr pl sk sl sr sv ur")

// labeledLanguages are the languages whose labels on tweets are reliable. Most other labels are
// wrong, for example Russian labeled as a related language.
var labeledLanguages = []string{"de", "en", "ru"}

// everyNth tweet is used for training; the others are used for evaluation.
const everyNth = 5

// addPosts adds the posts in the data folder. If open is set, it skips posts without a clear
// license.
func (all corpora) addPosts(data string, open bool) error {
	files, err := filepath.Glob(filepath.Join(data, "sentiment", "more_*_train.tsv.gz"))
	if err != nil {
		return err
	}
	for _, name := range files {
		err := readRows(name, func(row []string) {
			source, _, _ := strings.Cut(row[0], "-")
			if slices.Contains(openSources, source) || !open && slices.Contains(postLanguages, row[1]) {
				all.addPost(row[1], row[3])
			}
		})
		if err != nil {
			return err
		}
	}
	if open {
		return nil
	}
	err = readRows(filepath.Join(data, "sentiment", "umsab_train.tsv.gz"), func(row []string) { all.addPost(row[1], row[3]) })
	if err != nil {
		return err
	}
	return readTweets(filepath.Join(data, "posts", "twitter_posts.jsonl.gz"), all.addPost)
}

// addPost adds a post if its language uses the script, because labels of posts are not always
// correct.
func (all corpora) addPost(language, text string) {
	if t := all.find(language, text); t != nil && len(t.sentences)+len(t.lines) >= minTexts {
		t.posts = append(t.posts, text)
	}
}

// readTweets calls add with the language and text of each post in a gzipped file of JSON lines.
func readTweets(name string, add func(language, text string)) error {
	n := 0
	for line, err := range dataset.Lines(name) {
		if err != nil {
			return err
		}
		if n++; n%everyNth != 1 {
			continue
		}
		var post struct{ Language, Contents string }
		if err := json.Unmarshal([]byte(line), &post); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if slices.Contains(labeledLanguages, post.Language) {
			add(post.Language, post.Contents)
		}
	}
	return nil
}
