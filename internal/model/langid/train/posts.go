package train

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// everyNth post is used for training; the others are used for evaluation.
const everyNth = 5

// labeledLanguages are the languages whose labels on posts are reliable. Most other labels are
// wrong, for example Russian labeled as a related language.
var labeledLanguages = []string{"de", "en", "ru"}

// readPosts calls add with the language and text of each post in a gzipped file of JSON lines.
func readPosts(name string, add func(language, text string)) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		if n%everyNth != 0 {
			continue
		}
		var post struct{ Language, Contents string }
		if err := json.Unmarshal(lines.Bytes(), &post); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if slices.Contains(labeledLanguages, post.Language) {
			add(post.Language, post.Contents)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
