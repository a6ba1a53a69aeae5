package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"earshot"
	"earshot/internal/connector/inbox"
	"earshot/internal/ingest/item/record"
)

// Limits of a sample: files that are opened, and records that are read from each.
const (
	maxSampleFiles   = 20
	maxSampleRecords = 100
)

// sample returns up to n posts from the beginning of the newest files. If there are only invalid
// records, the error is about the first one.
func sample(ctx context.Context, root *os.Root, box *inbox.Inbox, n int) (posts []earshot.Post, err error) {
	type file struct {
		name string
		version
	}
	var files []file
	err = eachFile(root, func(name string, info fs.FileInfo) error {
		files = append(files, file{name, versionOf(info)})
		return ctx.Err()
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(cmp.Compare(b.Modified, a.Modified), cmp.Compare(b.name, a.name))
	})
	var problem error
	for _, f := range files[:min(len(files), maxSampleFiles)] {
		if len(posts) == n || ctx.Err() != nil {
			break
		}
		found, err := sampleFile(root, f.name, f.Size, box, n-len(posts))
		posts = append(posts, found...)
		if err != nil && problem == nil {
			problem = fmt.Errorf("%s: %w", printable(f.name), err)
		}
	}
	if len(posts) > 0 {
		return posts, nil
	}
	return nil, problem
}

func sampleFile(root *os.Root, name string, size int64, box *inbox.Inbox, n int) (posts []earshot.Post, problem error) {
	f, err := openFile(root, name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	r, err := newReader(f, name, size)
	if err != nil {
		return nil, err
	}
	for i := 0; i < maxSampleRecords && len(posts) < n; i++ {
		data, line, err := r.Next()
		var bad *record.Bad
		message := ""
		switch {
		case errors.Is(err, io.EOF):
			return posts, problem
		case errors.As(err, &bad):
			message = bad.Message
		case err != nil:
			return posts, cmp.Or(problem, err)
		case len(data) > 0:
			var c inbox.Change
			if c, message = box.Read(data); message == "" {
				if p, ok := c.Post(); ok {
					posts = append(posts, p)
				}
			}
		}
		if message != "" && problem == nil {
			problem = fmt.Errorf("line %d: %s", line, message)
		}
	}
	return posts, problem
}
