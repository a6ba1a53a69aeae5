package manage

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
	"earshot/internal/http/rest"
	"earshot/internal/ingest/item"
	"earshot/internal/ingest/item/record"
	"earshot/internal/picture"
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

type importParams struct {
	// DocumentType is the content source to import into. If it is 0, each line's type names its
	// network.
	DocumentType earshot.ContentSourceID `query:"documentType"`
	Body         *rest.BodyStream        `body:"stream"`
}

type importResponse struct {
	Accepted int64       `json:"accepted"`
	Rejected int64       `json:"rejected"`
	Errors   []lineError `json:"errors"`
}

type lineError struct {
	Line    int64  `json:"line"`
	Message string `json:"message"`
}

// importPosts ingests any number of posts, one per line. It reports invalid lines and accepts the
// others, unless there are hardly any. Accepted posts are on disk when it responds.
func (a *API) importPosts(ctx context.Context, c *earshot.Caller, p importParams) (importResponse, error) {
	in := importer{api: a}
	if p.DocumentType != 0 {
		src, err := a.Content.FindSource(c, p.DocumentType)
		if err != nil {
			return importResponse{}, err
		}
		in.source = src
	}
	err := in.read(ctx, bufio.NewReaderSize(p.Body, 64<<10))
	if err != nil && in.response.Accepted > 0 {
		return importResponse{}, in.interrupted(err)
	}
	return in.response, err
}

// An importer collects lines into chunks and ingests them.
type importer struct {
	api      *API
	source   *earshot.ContentSource
	items    []item.Item
	lines    []int64     // line number of each item
	rejected []lineError // rejected lines of the current chunk
	bytes    int         // total length of the chunk's lines
	line     int64       // number of the last line read
	flushed  int64       // number of the last line of the chunk before
	response importResponse
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
			if useless := in.line - in.response.Accepted; useless > maxUseless && useless > in.line/10*9 {
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
		found, ok := in.api.Pictures.Uploaded(ctx, image.URL)
		if !ok && strings.HasPrefix(image.URL, picture.Scheme) {
			in.reject(in.line, fmt.Sprintf("images: '%s' was not uploaded to /manage/v1/pictures", item.Clip(image.URL)))
			return
		}
		image.Picture = found
	}
	in.items = append(in.items, it)
	in.lines = append(in.lines, in.line)
	in.bytes += len(line)
}

// flush ingests the chunk and adds its errors to the response in the order of the lines.
func (in *importer) flush(ctx context.Context) error {
	accepted, problems, err := in.api.Content.Import(ctx, in.items, in.source)
	if err != nil {
		return err
	}
	in.response.Accepted += int64(accepted)
	for _, p := range problems {
		in.reject(in.lines[p.Item], p.Message)
	}
	slices.SortFunc(in.rejected, func(a, b lineError) int { return cmp.Compare(a.Line, b.Line) })
	in.response.Rejected += int64(len(in.rejected))
	room := maxErrors - len(in.response.Errors)
	in.response.Errors = append(in.response.Errors, in.rejected[:min(room, len(in.rejected))]...)
	in.items, in.lines, in.rejected, in.bytes, in.flushed = in.items[:0], in.lines[:0], in.rejected[:0], 0, in.line
	return nil
}

// firstError returns the first error as the end of a message.
func (in *importer) firstError() string {
	if len(in.response.Errors) == 0 {
		return ""
	}
	return fmt.Sprintf("; line %d: %s", in.response.Errors[0].Line, in.response.Errors[0].Message)
}

func (in *importer) reject(line int64, message string) {
	in.rejected = append(in.rejected, lineError{line, message})
}

// interrupted returns the error of an import that failed, with the number of posts accepted so far.
func (in *importer) interrupted(err error) error {
	e := &earshot.Error{Kind: earshot.Unavailable, Message: "The import was interrupted", Err: err}
	var readable *earshot.Error
	if errors.As(err, &readable) {
		*e = earshot.Error{Kind: readable.Kind, Message: readable.Message, RetryAfter: readable.RetryAfter, Err: err}
	}
	e.Message = fmt.Sprintf("%s (accepted %d posts from the first %d lines; it is safe to send them again)",
		e.Message, in.response.Accepted, in.line)
	return e
}
