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
	"earshot/internal/content"
	"earshot/internal/http/rest"
)

// maxChunkLines is the number of lines that are written to the journal together.
const maxChunkLines = 1000

// maxLineBytes and maxChunkBytes bound the memory of an import. A chunk ends early if its lines are
// long.
const (
	maxLineBytes  = 1 << 20
	maxChunkBytes = 8 << 20
)

// maxErrors is the maximum number of rejected lines whose errors are reported.
const maxErrors = 100

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

// A postLine is one line of an import.
type postLine struct {
	Type            string             `json:"type"`
	GUID            rest.Text          `json:"guid"`
	URL             string             `json:"url"`
	Date            string             `json:"date"`
	Title           string             `json:"title"`
	Contents        string             `json:"contents"`
	Author          string             `json:"author"`
	AuthorUsername  string             `json:"authorUsername"`
	AuthorProfileID rest.Text          `json:"authorProfileId"`
	AuthorGender    string             `json:"authorGender"`
	AuthorAge       rest.Int           `json:"authorAge"`
	AuthorFollowers rest.Int           `json:"authorFollowers"`
	AuthorFollowing rest.Int           `json:"authorFollowing"`
	AuthorPosts     rest.Int           `json:"authorPosts"`
	AuthorKlout     rest.Int           `json:"authorKlout"`
	AuthorVerified  rest.Bool          `json:"authorVerified"`
	Bio             string             `json:"bio"`
	Language        string             `json:"language"`
	Location        string             `json:"location"`
	Geolocation     *geolocation       `json:"geolocation"`
	EngagementType  string             `json:"engagementType"`
	EngagingWith    string             `json:"engagingWith"`
	ParentGUID      rest.Text          `json:"parentGuid"`
	PageID          rest.Text          `json:"pageId"`
	Likes           rest.Int           `json:"likes"`
	Shares          rest.Int           `json:"shares"`
	Comments        rest.Int           `json:"comments"`
	Replies         rest.Int           `json:"replies"`
	Retweets        rest.Int           `json:"retweets"`
	Views           rest.Int           `json:"views"`
	Rating          *float64           `json:"rating"`
	Hashtags        []string           `json:"hashtags"`
	Mentions        []string           `json:"mentions"`
	MediaURLs       []string           `json:"mediaUrls"`
	Images          []image            `json:"images"`
	Custom          map[string]*string `json:"custom"`
}

type geolocation struct {
	ID        string    `json:"id"`
	Latitude  *float64  `json:"latitude"`
	Longitude *float64  `json:"longitude"`
	Zipcode   rest.Text `json:"zipcode"`
}

type image struct {
	URL    string `json:"url"`
	Alt    string `json:"alt"`
	Brands []struct {
		BrandID rest.Text `json:"brandId"`
		Brand   string    `json:"brand"`
		Size    string    `json:"size"`
		Score   float64   `json:"score"`
	} `json:"brands"`
	Objects []struct {
		Score     float64  `json:"score"`
		ClassID   rest.Int `json:"classId"`
		ClassName string   `json:"className"`
	} `json:"objects"`
}

// importPosts ingests any number of posts, one per line. It reports invalid lines and accepts the
// others. Accepted posts are on disk when it responds.
func (a *API) importPosts(ctx context.Context, c *earshot.Caller, p importParams) (importResponse, error) {
	in := importer{api: a, response: importResponse{Errors: []lineError{}}}
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
	items    []content.Item
	lines    []int64     // line number of each item
	rejected []lineError // rejected lines of the current chunk
	bytes    int         // total length of the chunk's lines
	line     int64       // number of the last line read
	response importResponse
}

func (in *importer) read(ctx context.Context, r *bufio.Reader) error {
	for {
		line, err := nextLine(r)
		switch {
		case errors.Is(err, errLongLine):
			in.line++
			in.reject(in.line, fmt.Sprintf("the line is longer than %d bytes", maxLineBytes))
		case errors.Is(err, io.EOF) && len(line) == 0:
			return in.flush(ctx)
		case err != nil && !errors.Is(err, io.EOF): // the last line is incomplete
			return errors.Join(err, in.flush(ctx))
		default:
			in.line++
			in.add(line)
		}
		if len(in.items)+len(in.rejected) >= maxChunkLines || in.bytes > maxChunkBytes {
			if err := in.flush(ctx); err != nil {
				return err
			}
		}
	}
}

func (in *importer) add(line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	var p postLine
	if !scanPost(string(line), &p) {
		p = postLine{}
		if err := rest.Decode(line, "", &p); err != nil {
			in.reject(in.line, strings.TrimPrefix(err.Error(), "Invalid request body: "))
			return
		}
	}
	in.items = append(in.items, p.item())
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
	in.items, in.lines, in.rejected, in.bytes = in.items[:0], in.lines[:0], in.rejected[:0], 0
	return nil
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

var errLongLine = errors.New("line too long")

// nextLine returns the next line without its line break. It skips a line that is too long and
// returns errLongLine.
func nextLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := r.ReadSlice('\n')
		if long = long || len(line)+len(piece) > maxLineBytes; !long {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLongLine
		}
		return line, err
	}
}

func (p *postLine) item() content.Item {
	item := content.Item{
		Type: p.Type, GUID: p.GUID.Value, URL: p.URL, Date: p.Date, Title: p.Title, Contents: p.Contents,
		Language: p.Language, Location: p.Location,
		Author: p.Author, AuthorUsername: p.AuthorUsername, AuthorProfileID: p.AuthorProfileID.Value, Bio: p.Bio,
		Gender: p.AuthorGender, Age: intPointer(p.AuthorAge), Followers: intPointer(p.AuthorFollowers),
		Following: intPointer(p.AuthorFollowing), Posts: intPointer(p.AuthorPosts), Klout: intPointer(p.AuthorKlout),
		Verified:       p.AuthorVerified.Value,
		EngagementType: p.EngagementType, EngagingWith: p.EngagingWith, ParentGUID: p.ParentGUID.Value, PageID: p.PageID.Value,
		Likes: intPointer(p.Likes), Shares: intPointer(p.Shares), Comments: intPointer(p.Comments), Replies: intPointer(p.Replies),
		Retweets: intPointer(p.Retweets), Views: intPointer(p.Views), Rating: p.Rating,
		Hashtags: p.Hashtags, Mentions: p.Mentions, MediaURLs: p.MediaURLs, Custom: p.Custom,
	}
	if g := p.Geolocation; g != nil {
		item.Geolocation = &content.Geolocation{ID: g.ID, Latitude: g.Latitude, Longitude: g.Longitude, Zipcode: g.Zipcode.Value}
	}
	for _, i := range p.Images {
		item.Images = append(item.Images, i.domain())
	}
	return item
}

func (i image) domain() earshot.Image {
	d := earshot.Image{URL: i.URL, Alt: i.Alt}
	for _, b := range i.Brands {
		d.Brands = append(d.Brands, earshot.ImageBrand{ID: b.BrandID.Value, Name: b.Brand, Size: b.Size, Score: b.Score})
	}
	for _, o := range i.Objects {
		d.Objects = append(d.Objects, earshot.ImageObject{Score: o.Score, ClassID: o.ClassID.Value, ClassName: o.ClassName})
	}
	return d
}

func intPointer(n rest.Int) *int64 {
	if n.Presence != rest.Given {
		return nil
	}
	return &n.Value
}
