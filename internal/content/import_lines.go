package content

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/ingest/item"
	"earshot/internal/ingest/item/record"
)

// maxChunkLines is the number of lines that are written to the journal together.
const maxChunkLines = 1000

// maxChunkBytes bounds the memory of an import, as record.MaxBytes does. A chunk ends early if its
// lines are long.
const maxChunkBytes = 8 << 20

// maxErrors is the maximum number of rejected lines whose errors are reported.
const maxErrors = 100

// maxUseless is the number of lines without a valid post, empty ones included, after which an import
// ends if more than nine tenths of all lines are such: someone sends something else than posts.
const maxUseless = 10_000

// Imported is the result of [Service.ImportLines].
type Imported struct {
	Accepted int64       `json:"accepted"`
	Rejected int64       `json:"rejected"`
	Errors   []LineError `json:"errors"`
}

// A LineError says what is wrong with a line.
type LineError struct {
	Line    int64  `json:"line"`
	Message string `json:"message"`
}

// Pictures knows the pictures that were uploaded.
type Pictures interface {
	// Uploaded returns what is known about the picture with a URL, if it was uploaded.
	Uploaded(ctx context.Context, url string) (*earshot.Picture, bool)
}

// ImportLines imports any number of posts, one per line. It reports invalid lines and accepts the
// others, unless there are hardly any. If into is nil, each line's type names its network. Accepted
// posts are on disk when it returns.
func (s *Service) ImportLines(ctx context.Context, r io.Reader, into *earshot.ContentSource, pictures Pictures) (Imported, error) {
	in := importer{service: s, source: into, pictures: pictures}
	err := in.read(ctx, bufio.NewReaderSize(r, 64<<10))
	if err != nil && in.result.Accepted > 0 {
		return Imported{}, in.interrupted(err)
	}
	return in.result, err
}

// An importer collects lines into chunks and ingests them.
type importer struct {
	service  *Service
	source   *earshot.ContentSource
	pictures Pictures
	items    []item.Item
	lines    []int64     // line number of each item
	rejected []LineError // rejected lines of the current chunk
	bytes    int         // total length of the chunk's lines
	line     int64       // number of the last line read
	flushed  int64       // number of the last line of the chunk before
	result   Imported
}

func (in *importer) read(ctx context.Context, r *bufio.Reader) error {
	for {
		line, err := record.ReadLine(r, record.MaxBytes)
		var bad *record.Bad
		switch {
		case errors.As(err, &bad):
			in.line++
			in.reject(in.line, bad.Message)
		case errors.Is(err, io.EOF):
			return in.flush(ctx)
		case err != nil: // the last line is incomplete
			return errors.Join(err, in.flush(ctx))
		default:
			in.line++
			in.add(ctx, line)
		}
		if in.line-in.flushed >= maxChunkLines || in.bytes > maxChunkBytes {
			if err := in.flush(ctx); err != nil {
				return err
			}
			if useless := in.line - in.result.Accepted; useless > maxUseless && useless > in.line/10*9 {
				return earshot.InvalidBody("%d of the first %d lines have no valid post%s", useless, in.line, in.firstError())
			}
		}
	}
}

func (in *importer) add(ctx context.Context, line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	it, err := record.Decode(line)
	if err != nil {
		in.reject(in.line, err.Error())
		return
	}
	for i := range it.Images {
		image := &it.Images[i]
		found, ok := in.pictures.Uploaded(ctx, image.URL)
		if !ok && strings.HasPrefix(image.URL, earshot.PictureScheme) {
			in.reject(in.line, fmt.Sprintf("images: '%s' was not uploaded to /manage/v1/pictures", item.Clip(image.URL)))
			return
		}
		image.Picture = found
	}
	in.items = append(in.items, it)
	in.lines = append(in.lines, in.line)
	in.bytes += len(line)
}

// flush ingests the chunk and adds its errors to the result in the order of the lines.
func (in *importer) flush(ctx context.Context) error {
	accepted, problems, err := in.service.Import(ctx, in.items, in.source)
	if err != nil {
		return err
	}
	in.result.Accepted += int64(accepted)
	for _, p := range problems {
		in.reject(in.lines[p.Item], p.Message)
	}
	slices.SortFunc(in.rejected, func(a, b LineError) int { return cmp.Compare(a.Line, b.Line) })
	in.result.Rejected += int64(len(in.rejected))
	room := maxErrors - len(in.result.Errors)
	in.result.Errors = append(in.result.Errors, in.rejected[:min(room, len(in.rejected))]...)
	in.items, in.lines, in.rejected, in.bytes, in.flushed = in.items[:0], in.lines[:0], in.rejected[:0], 0, in.line
	return nil
}

// firstError returns the first error as the end of a message.
func (in *importer) firstError() string {
	if len(in.result.Errors) == 0 {
		return ""
	}
	return fmt.Sprintf("; line %d: %s", in.result.Errors[0].Line, in.result.Errors[0].Message)
}

func (in *importer) reject(line int64, message string) {
	in.rejected = append(in.rejected, LineError{line, message})
}

// interrupted returns the error of an import that failed, with the number of posts accepted so far.
func (in *importer) interrupted(err error) error {
	e := &earshot.Error{Kind: earshot.Unavailable, Message: "The import was interrupted", Err: err}
	var readable *earshot.Error
	if errors.As(err, &readable) {
		*e = earshot.Error{Kind: readable.Kind, Message: readable.Message, RetryAfter: readable.RetryAfter, Err: err}
	}
	e.Message = fmt.Sprintf("%s (accepted %d posts from the first %d lines; it is safe to send them again)",
		e.Message, in.result.Accepted, in.line)
	return e
}
