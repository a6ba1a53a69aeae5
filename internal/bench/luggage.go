package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"earshot"
)

// A luggage is posts for streams, ready to be uploaded. They wait in a file: in memory they would
// be most of what is measured.
type luggage struct {
	file  *os.File
	loads []load
}

// A load is what is uploaded in one go. Its posts are numbered from first on.
type load struct {
	first, posts int
	parcels      []parcel // batchSize posts each, the last one perhaps fewer
	file         io.ReaderAt
}

// A parcel is what one request uploads.
type parcel struct {
	at, size int64 // in the file
	posts    int
}

func (l *load) open(i int) *io.SectionReader {
	return io.NewSectionReader(l.file, l.parcels[i].at, l.parcels[i].size)
}

// streamWord is the word that makes a post one of the k-th stream.
func streamWord(k int) string { return fmt.Sprintf("stream%02d", k) }

// guidPrefix begins the guids of posts for streams. Their number follows.
const guidPrefix = "sp-"

// packedHours is how far back the posts lie.
const packedHours = 1

// pack makes loads with so many posts.
func (s *session) pack(ctx context.Context, counts ...int) (*luggage, error) {
	file, err := os.Create(filepath.Join(s.dir, "posts.jsonl"))
	if err != nil {
		return nil, err
	}
	g := s.generator(packedHours * time.Hour)
	g.Raw, g.From = true, time.Now().UTC().Add(-packedHours*time.Hour)
	l := &luggage{file: file}
	p := packer{to: file}
	for _, posts := range counts {
		g.Count = posts
		packed, err := p.load(ctx, g)
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		l.loads = append(l.loads, packed)
	}
	return l, nil
}

func (l *luggage) close() { l.file.Close() }

// A packer writes posts as lines.
type packer struct {
	to   *os.File
	at   int64
	next int // number of the next load's first post
}

func (p *packer) load(ctx context.Context, g *Generator) (load, error) {
	l := load{first: p.next, posts: g.Count, file: p.to}
	n := p.next
	for posts := range g.Batches(batchSize) {
		if err := ctx.Err(); err != nil {
			return l, err
		}
		var lines []byte
		for i := range posts {
			line, err := json.Marshal(newPackedLine(&posts[i], n))
			if err != nil {
				return l, err
			}
			lines = append(append(lines, line...), '\n')
			n++
		}
		if _, err := p.to.Write(lines); err != nil {
			return l, err
		}
		l.parcels = append(l.parcels, parcel{at: p.at, size: int64(len(lines)), posts: len(posts)})
		p.at += int64(len(lines))
	}
	p.next += len(l.parcels) * batchSize // so that a number tells the parcel, and the stream
	return l, nil
}

// A packedLine is a post as an import has it.
type packedLine struct {
	Type      earshot.Source `json:"type"`
	GUID      string         `json:"guid"`
	URL       string         `json:"url"`
	Date      time.Time      `json:"date"`
	Title     string         `json:"title,omitempty"`
	Contents  string         `json:"contents"`
	Author    string         `json:"author"`
	Username  string         `json:"authorUsername"`
	Followers int64          `json:"authorFollowers"`
	Following int64          `json:"authorFollowing"`
	Posts     int64          `json:"authorPosts"`
	Language  string         `json:"language,omitempty"`
	Location  string         `json:"location,omitempty"`
	Likes     int64          `json:"likes"`
	Retweets  int64          `json:"retweets"`
}

// newPackedLine returns the n-th post, with the word of its stream.
func newPackedLine(p *earshot.Post, n int) packedLine {
	return packedLine{
		Type:      p.Source,
		GUID:      guidPrefix + strconv.Itoa(n),
		URL:       p.URL,
		Date:      p.Time,
		Title:     p.Title,
		Contents:  p.Contents + " " + streamWord(n%streamCount),
		Author:    p.Author,
		Username:  p.AuthorUsername,
		Followers: p.Followers.Int(),
		Following: p.Following.Int(),
		Posts:     p.AuthorPosts.Int(),
		Language:  p.Language,
		Location:  p.Location,
		Likes:     p.Likes.Int(),
		Retweets:  p.Retweets.Int(),
	}
}
