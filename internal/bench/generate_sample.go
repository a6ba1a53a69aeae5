package bench

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"earshot"
	"earshot/internal/demo"
	"earshot/internal/geo"
	"earshot/internal/model/enrich"
)

// A Sample is a set of posts from which a [Generator] makes others.
type Sample struct {
	Name string

	drafts  []draft
	handles []string    // usernames of authors, without duplicates
	homes   []geo.Entry // where authors live
}

const (
	// sampleSize is the maximum number of posts read from a file. It limits the memory of a sample.
	sampleSize = 200_000

	// longestLine is the maximum length of a line in bytes.
	longestLine = 1 << 20
)

// NewSample reads a file of JSON lines in the format that earshot import accepts, optionally
// compressed with gzip. If file is empty, it uses posts of the demo.
func NewSample(file string) (*Sample, error) {
	if file == "" {
		return demoSample()
	}
	posts, err := readPosts(file)
	if err != nil {
		return nil, fmt.Errorf("read posts from %s: %w", file, err)
	}
	return newSample(filepath.Base(file), posts)
}

func demoSample() (*Sample, error) {
	var posts []earshot.Post
	for p := range (demo.Generator{Seed: 1, Days: 30, End: firstDay, PerDay: 1000}).Posts() {
		posts = append(posts, p)
	}
	return newSample("demo", posts)
}

func newSample(name string, posts []earshot.Post) (*Sample, error) {
	s := &Sample{Name: name, homes: homes()}
	languages, seen := map[string]*alternatives{}, map[string]bool{}
	enrich.New().All(posts)
	for i := range posts {
		p := &posts[i]
		if strings.TrimSpace(p.Contents) == "" {
			continue
		}
		if languages[p.Language] == nil {
			languages[p.Language] = new(alternatives)
		}
		d := newDraft(p)
		d.kindred = languages[p.Language]
		d.kindred.drafts = append(d.kindred.drafts, int32(len(s.drafts)))
		s.drafts = append(s.drafts, d)
		if handle := p.Handle(); handle != "" && !seen[handle] {
			seen[handle] = true
			s.handles = append(s.handles, handle)
		}
	}
	if len(s.drafts) == 0 || len(s.handles) == 0 {
		return nil, errors.New("the file has no posts with a text and an author")
	}
	return s, nil
}

// readPosts reads the first sampleSize posts of a file.
func readPosts(file string) ([]earshot.Post, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := unpack(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	var posts []earshot.Post
	for len(posts) < sampleSize && lines.Scan() {
		p, err := readPost(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("post %d: %w", len(posts)+1, err)
		}
		posts = append(posts, p)
	}
	return posts, lines.Err()
}

// unpack returns the contents of f, decompressed if they are in gzip format.
func unpack(f *os.File) (io.Reader, error) {
	r := bufio.NewReader(f)
	if magic, _ := r.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return r, nil
	}
	return gzip.NewReader(r)
}

// readPost parses the fields of a line that a sample uses.
func readPost(line []byte) (earshot.Post, error) {
	var item struct {
		Title, Contents, Author, Language string
		Type, EngagementType              string
	}
	if err := json.Unmarshal(line, &item); err != nil {
		return earshot.Post{}, err
	}
	source, known := earshot.FindNetwork(item.Type)
	if !known {
		source = earshot.Twitter
	}
	return earshot.Post{
		Source:     source,
		Title:      item.Title,
		Contents:   item.Contents,
		Author:     item.Author,
		Language:   strings.ToLower(item.Language),
		Engagement: earshot.Engagement(item.EngagementType),
	}, nil
}
