package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"earshot/internal/http/client"
	"earshot/internal/ingest/item/record"
)

// fileScheme starts the URL of an image that is a file beside the imported file, for example
// file:pictures/cup.jpg.
const fileScheme = "file:"

// maxPictureBytes is the maximum size of a picture. The server checks it too.
const maxPictureBytes = 10 << 20

// A pictureSender uploads the pictures that the lines of a file name.
type pictureSender struct {
	client *client.Client
	dir    string            // of the imported file; empty for standard input
	sent   map[string]string // URL by path
}

func newPictureSender(c *client.Client, in *input) *pictureSender {
	s := &pictureSender{client: c, sent: map[string]string{}}
	if in.path != "" {
		s.dir = filepath.Dir(in.path)
	}
	return s
}

// replace uploads the pictures of a post and replaces their names by URLs. A *[record.Bad] means that
// the line cannot be imported; other errors end the import.
func (s *pictureSender) replace(ctx context.Context, line []byte) ([]byte, error) {
	if !bytes.Contains(line, []byte(`"`+fileScheme)) {
		return line, nil
	}
	var post map[string]json.RawMessage
	var images []map[string]json.RawMessage
	if json.Unmarshal(line, &post) != nil || json.Unmarshal(post["images"], &images) != nil {
		return line, nil // the server says what is wrong
	}
	for _, image := range images {
		var url string
		if json.Unmarshal(image["url"], &url) != nil {
			continue
		}
		name, ok := strings.CutPrefix(url, fileScheme)
		if !ok {
			continue
		}
		url, err := s.send(ctx, name)
		if err != nil {
			return nil, err
		}
		if image["url"], err = json.Marshal(url); err != nil {
			return nil, err
		}
	}
	all, err := json.Marshal(images)
	if err != nil {
		return nil, err
	}
	post["images"] = all
	return json.Marshal(post)
}

// send uploads a picture once and returns its URL.
func (s *pictureSender) send(ctx context.Context, name string) (string, error) {
	if url, ok := s.sent[name]; ok {
		return url, nil
	}
	body, err := s.read(name)
	if err != nil {
		return "", &record.Bad{Message: "images: " + err.Error()}
	}
	url, err := s.client.SendPicture(ctx, body)
	var refused *client.Error
	if errors.As(err, &refused) && (refused.Status == http.StatusBadRequest || refused.Status == http.StatusRequestEntityTooLarge) {
		return "", &record.Bad{Message: fmt.Sprintf("images: %s: %v", name, err)}
	}
	if err != nil {
		return "", fmt.Errorf("upload picture %s: %w", name, err)
	}
	s.sent[name] = url
	return url, nil
}

// read reads a picture beside the imported file or below. No name and no symbolic link leads elsewhere.
func (s *pictureSender) read(name string) ([]byte, error) {
	if s.dir == "" {
		return nil, fmt.Errorf("%s: pictures beside a file need a file, not standard input", name)
	}
	f, err := os.OpenInRoot(s.dir, filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	body, err := io.ReadAll(io.LimitReader(f, maxPictureBytes+1))
	if err == nil && len(body) > maxPictureBytes {
		err = fmt.Errorf("%s has more than %d MB", name, maxPictureBytes>>20)
	}
	return body, err
}
