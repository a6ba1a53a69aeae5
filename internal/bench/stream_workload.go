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

// An uploadFile contains posts for streams, ready to upload. They are in a file, because in memory
// they would dominate the measurement.
type uploadFile struct {
	file      *os.File
	workloads []workload
}

// A workload is a set of posts that are uploaded together. Its posts are numbered from first.
type workload struct {
	first, posts int
	requests     []uploadRequest // of batchSize posts each; the last may have fewer
	file         io.ReaderAt
}

// An uploadRequest is the body of one upload request.
type uploadRequest struct {
	at, size int64 // byte range in the file
	posts    int
}

func (l *workload) open(i int) *io.SectionReader {
	return io.NewSectionReader(l.file, l.requests[i].at, l.requests[i].size)
}

// streamWord returns the word that makes a post match stream k.
func streamWord(k int) string { return fmt.Sprintf("stream%02d", k) }

// guidPrefix is the prefix of guids of posts for streams. The number of the post follows.
const guidPrefix = "sp-"

// workloadHours is the age of the oldest posts.
const workloadHours = 1

// writeWorkloads writes workloads with the given numbers of posts.
func (s *session) writeWorkloads(ctx context.Context, counts ...int) (*uploadFile, error) {
	file, err := os.Create(filepath.Join(s.dir, "posts.jsonl"))
	if err != nil {
		return nil, err
	}
	g := s.generator(workloadHours * time.Hour)
	g.Raw, g.From = true, time.Now().UTC().Add(-workloadHours*time.Hour)
	l := &uploadFile{file: file}
	p := workloadWriter{to: file}
	for _, posts := range counts {
		g.Count = posts
		packed, err := p.write(ctx, g)
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		l.workloads = append(l.workloads, packed)
	}
	return l, nil
}

func (l *uploadFile) close() { l.file.Close() }

// A workloadWriter writes posts as lines.
type workloadWriter struct {
	to   *os.File
	at   int64
	next int // number of the next workload's first post
}

func (p *workloadWriter) write(ctx context.Context, g *Generator) (workload, error) {
	l := workload{first: p.next, posts: g.Count, file: p.to}
	n := p.next
	for posts := range g.Batches(batchSize) {
		if err := ctx.Err(); err != nil {
			return l, err
		}
		var lines []byte
		for i := range posts {
			line, err := json.Marshal(newUploadLine(&posts[i], n))
			if err != nil {
				return l, err
			}
			lines = append(append(lines, line...), '\n')
			n++
		}
		if _, err := p.to.Write(lines); err != nil {
			return l, err
		}
		l.requests = append(l.requests, uploadRequest{at: p.at, size: int64(len(lines)), posts: len(posts)})
		p.at += int64(len(lines))
	}
	p.next += len(l.requests) * batchSize // so that a post's number determines its request and stream
	return l, nil
}

// An uploadLine is a post in the import format.
type uploadLine struct {
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

// newUploadLine returns post n with the word of its stream.
func newUploadLine(p *earshot.Post, n int) uploadLine {
	return uploadLine{
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
