package earshot

import (
	"cmp"
	"encoding/base64"
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A Post is a document from a social network, a website or a customer. Fields contain what the post
// states. Empty means that it does not say.
type Post struct {
	Source        Source          // network, or name of the content source
	ContentSource ContentSourceID // set for custom content, which only monitors of Team can see
	Team          TeamID
	Batch         string // upload batch of custom content
	GUID          string // unique within the source; never empty
	URL           string
	Site          string // host of URL, without www
	Time          time.Time

	Title    string
	Contents string
	Language string // two-letter lowercase code

	Author          string // display form, often "handle (Display Name)"
	AuthorUsername  string
	AuthorProfileID string
	Bio             string
	Gender          Gender
	Age             Count
	Followers       Count
	Following       Count
	AuthorPosts     Count
	Klout           Count
	Verified        bool

	Location  string // free text
	Place     Place
	Point     *Point
	Zipcode   string
	Geotagged bool // the post itself has a geolocation

	Engagement   Engagement
	EngagingWith string // handle of the author it replies to or reposts, without @
	ParentGUID   string
	PageID       string
	Likes        Count
	Shares       Count
	Comments     Count
	Replies      Count
	Retweets     Count
	Views        Count
	Rating       *float64

	Hashtags  []string // lowercase, without #
	Mentions  []string // handles, lowercase, without @
	Cashtags  []string // lowercase, without $
	Links     []string
	MediaURLs []string
	Images    []Image
	Custom    map[string]string

	// Inferred attributes. The Inferred field also marks which of the fields above models filled
	// in.
	AgeGroup        AgeGroup // also set when the post states an age
	Sentiment       Sentiment
	Emotion         Emotion
	Interests       []InterestID // of the post, ascending
	AuthorInterests []InterestID // of its author, ascending
	Inferred        Inferred
	InferredBy      uint32 // version of the models; 0: none
}

// A PostKey identifies a post. A new post with the same key replaces the stored one.
type PostKey struct {
	Source        Source
	ContentSource ContentSourceID
	GUID          string
}

// Key returns the key of the post.
func (p *Post) Key() PostKey {
	if p.ContentSource != 0 {
		return PostKey{ContentSource: p.ContentSource, GUID: p.GUID}
	}
	return PostKey{Source: p.Source, GUID: p.GUID}
}

// Text encodes the key using only letters, digits, "-" and "_", so that it can be part of a URL
// path.
func (k PostKey) Text() string {
	plain := strconv.FormatInt(int64(k.ContentSource), 10) + "/" + string(k.Source) + "/" + k.GUID
	return base64.RawURLEncoding.EncodeToString([]byte(plain))
}

// ParsePostKey is the inverse of [PostKey.Text]. It reports whether the text is a valid key.
func ParsePostKey(text string) (PostKey, bool) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return PostKey{}, false
	}
	number, rest, _ := strings.Cut(string(plain), "/")
	source, guid, _ := strings.Cut(rest, "/")
	id, err := strconv.ParseInt(number, 10, 64)
	k := PostKey{Source: Source(source), ContentSource: ContentSourceID(id), GUID: guid}
	return k, err == nil && guid != "" && k.Text() == text
}

// Handle returns the author's handle on the network, without @. It is AuthorUsername or, if that is
// empty, the handle in an Author of the form "handle (Display Name)" or an Author that is a single
// word. Otherwise it is empty.
func (p *Post) Handle() string {
	handle := p.AuthorUsername
	if handle == "" {
		author := strings.TrimSpace(p.Author)
		before, display, found := strings.Cut(author, " (")
		if found && strings.HasSuffix(display, ")") {
			author = before
		}
		if !strings.ContainsFunc(author, unicode.IsSpace) {
			handle = author
		}
	}
	return strings.TrimPrefix(handle, "@")
}

// AccountNames yields the names that identify the author, in the form of [AccountName]: username,
// author, handle, profile ID and page ID. On Facebook, the page ID is not among them, because it is
// that of the page on which others comment too.
func (p *Post) AccountNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		shown := Post{Author: p.Author}
		names := [...]string{p.AuthorUsername, p.Author, shown.Handle(), p.AuthorProfileID, p.PageID}
		if p.Source == Facebook {
			names[len(names)-1] = ""
		}
		for i := range names {
			names[i] = AccountName(names[i])
			if names[i] != "" && !slices.Contains(names[:i], names[i]) && !yield(names[i]) {
				return
			}
		}
	}
}

// AccountName normalizes a name of an account: lowercase, without a leading "@".
func AccountName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "@"))
}

// Hashtag normalizes a hashtag: lowercase, without the leading "#".
func Hashtag(tag string) string {
	return strings.ToLower(strings.TrimLeft(strings.TrimSpace(tag), "#＃"))
}

// ComparePosts orders posts as results list them: newest first, then by guid, source and content
// source.
func ComparePosts(a, b *Post) int {
	return cmp.Or(
		b.Time.Compare(a.Time),
		cmp.Compare(a.GUID, b.GUID),
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.ContentSource, b.ContentSource),
	)
}

// An Image is an image in a post, with the brands and objects recognized in it.
type Image struct {
	URL     string
	Alt     string
	Brands  []ImageBrand
	Objects []ImageObject
	Picture *Picture // what was found in the file of the image; nil: nobody has looked
}

// PictureScheme starts the URLs of pictures that were uploaded, for example picture:9f86d0….
const PictureScheme = "picture:"

// A Picture is what was found in the file of an image. It is shared by all posts with the same file
// and must not be modified.
type Picture struct {
	Hash    string // SHA-256 of the file, in hexadecimal
	Similar uint64 // perceptual hash: pictures that look the same differ in few bits
	Width   int    // in pixels
	Height  int
	Model   string // version of the model that found brands and objects, for example 1
	Brands  []ImageBrand
	Objects []ImageObject
}

// An ImageBrand is a brand recognized in an image.
type ImageBrand struct {
	ID    string
	Name  string
	Size  string // for example tiny or small
	Score float64
}

// An ImageObject is an object recognized in an image.
type ImageObject struct {
	Score     float64
	ClassID   int64
	ClassName string
}

// An Engagement is how a post relates to another post.
type Engagement string

const (
	OriginalPost Engagement = "POST"
	Retweet      Engagement = "RETWEET"
	Reply        Engagement = "REPLY"
	Comment      Engagement = "COMMENT"
)

// A Gender is the gender of an author. Empty means unknown.
type Gender string

const (
	Male   Gender = "M"
	Female Gender = "F"
)

// A Count is a number that a post may or may not state. The zero Count means that it is not stated,
// which differs from stating 0.
type Count struct{ plusOne int64 }

// Counted returns a Count with the value n, which must not be negative.
func Counted(n int64) Count { return Count{n + 1} }

// Value returns the number and whether it is stated.
func (c Count) Value() (n int64, stated bool) { return c.Int(), c.plusOne > 0 }

// Int returns the number, or 0 if it is not stated.
func (c Count) Int() int64 { return max(c.plusOne-1, 0) }

// IsZero reports whether the number is not stated.
func (c Count) IsZero() bool { return c.plusOne == 0 }

// MarshalJSON returns the number. An unstated count becomes 0; use the omitzero tag option to omit
// it.
func (c Count) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }

// AppendJSON appends what [Count.MarshalJSON] returns.
func (c Count) AppendJSON(b []byte) []byte { return strconv.AppendInt(b, c.Int(), 10) }

// UnmarshalJSON accepts a number, a string that contains a number, or null for an unstated count.
func (c *Count) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if text == "null" {
		*c = Count{}
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n == math.MaxInt64 {
		return errors.New("a whole number of 0 or more")
	}
	*c = Counted(n)
	return nil
}

// A Deletion selects posts to delete: of one content source, of one network, or of one batch of a
// live source. Batch, if set, restricts it to one batch, and Before to posts that were published
// before a time. GUIDs, URLs and Pages restrict it to posts in one of these lists.
//
// A content source may be deleted as a whole. For a network, at least one list must be set, and
// without a content source and a network, Batch must be set. Otherwise the deletion selects nothing.
//
// Accounts select all posts of these authors. Without a content source and a network, they select
// posts of all networks and content sources. They cannot be combined with the other lists.
type Deletion struct {
	ContentSource ContentSourceID
	Source        Source // network; only if ContentSource is 0
	Batch         string
	Before        time.Time
	GUIDs         []string
	URLs          []string // only for custom content
	Pages         []string // values of Post.PageID, such as accounts of a network
	Accounts      []string // names of authors, as Post.AccountNames yields them
}

// Valid reports whether the deletion may select posts.
func (d *Deletion) Valid() bool {
	switch {
	case d.ContentSource != 0 && d.Source != "":
		return false
	case len(d.Accounts) > 0:
		return len(d.GUIDs)+len(d.URLs)+len(d.Pages) == 0
	case d.ContentSource != 0:
		return true
	case d.Source != "":
		return len(d.GUIDs)+len(d.Pages) > 0
	}
	return d.Batch != ""
}

// Everywhere reports whether the deletion selects posts of all networks and content sources.
func (d *Deletion) Everywhere() bool {
	return len(d.Accounts) > 0 && d.ContentSource == 0 && d.Source == ""
}

// A Snapshot is an account's follower and like counts on one day.
type Snapshot struct {
	Date      Date
	Followers Count
	Likes     Count
}
