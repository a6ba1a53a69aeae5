package earshot

import (
	"cmp"
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A Post is one document of a social network, a site or a customer. Fields are
// what the post states; empty means that it does not say.
type Post struct {
	Source        Source          // network, or name of the content source
	ContentSource ContentSourceID // set for custom content, which only Team's monitors see
	Team          TeamID
	Batch         string // upload batch of custom content
	GUID          string // unique within the source; never empty
	URL           string
	Site          string // host of URL, without www
	Time          time.Time

	Title    string
	Contents string
	Language string // two lower-case letters

	Author          string // as shown, often "handle (Display Name)"
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
	Geotagged bool // the post itself carries a geolocation

	Engagement   Engagement
	EngagingWith string // handle of the author it answers or repeats, without @
	ParentGUID   string
	PageID       string
	Likes        Count
	Shares       Count
	Comments     Count
	Replies      Count
	Retweets     Count
	Views        Count
	Rating       *float64

	Hashtags  []string // lower case, without #
	Mentions  []string // handles, lower case, without @
	Cashtags  []string // lower case, without $
	Links     []string
	MediaURLs []string
	Images    []Image
	Custom    map[string]string

	// Inferred attributes. Inferred also names the fields above that models filled.
	AgeGroup        AgeGroup // set for a stated age as well
	Sentiment       Sentiment
	Emotion         Emotion
	Interests       []InterestID // of the post, ascending
	AuthorInterests []InterestID // of its author, ascending
	Inferred        Inferred
	InferredBy      uint32 // version of the models; 0: none
}

// A PostKey identifies a post: a post with a known key replaces the old one.
type PostKey struct {
	Source        Source
	ContentSource ContentSourceID
	GUID          string
}

// Key returns the post's identity.
func (p *Post) Key() PostKey {
	if p.ContentSource != 0 {
		return PostKey{ContentSource: p.ContentSource, GUID: p.GUID}
	}
	return PostKey{Source: p.Source, GUID: p.GUID}
}

// Text encodes a key in letters, digits, - and _, so that it can be part of a URL.
func (k PostKey) Text() string {
	plain := strconv.FormatInt(int64(k.ContentSource), 10) + "/" + string(k.Source) + "/" + k.GUID
	return base64.RawURLEncoding.EncodeToString([]byte(plain))
}

// ParsePostKey decodes what Text returns, and reports whether it could.
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

// Handle returns the author's name on the network, without @: the user name, or
// what an author says who reads "handle (Display Name)" or is a single word. It is
// empty when neither holds.
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

// Hashtag returns a hashtag as posts have it: lower case, without #.
func Hashtag(tag string) string {
	return strings.ToLower(strings.TrimLeft(strings.TrimSpace(tag), "#＃"))
}

// ComparePosts orders posts as results list them: newest first, ties by guid,
// then by source.
func ComparePosts(a, b *Post) int {
	return cmp.Or(
		b.Time.Compare(a.Time),
		cmp.Compare(a.GUID, b.GUID),
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.ContentSource, b.ContentSource),
	)
}

// An Image is a picture of a post and what is known to be on it.
type Image struct {
	URL     string
	Alt     string
	Brands  []ImageBrand
	Objects []ImageObject
}

type ImageBrand struct {
	ID    string
	Name  string
	Size  string // tiny, small, ...
	Score float64
}

type ImageObject struct {
	Score     float64
	ClassID   int64
	ClassName string
}

// Engagement says how a post relates to another one.
type Engagement string

const (
	OriginalPost Engagement = "POST"
	Retweet      Engagement = "RETWEET"
	Reply        Engagement = "REPLY"
	Comment      Engagement = "COMMENT"
)

// Gender of an author; empty when not assigned.
type Gender string

const (
	Male   Gender = "M"
	Female Gender = "F"
)

// A Count is a number that a post may state. The zero Count states nothing,
// which is not the same as stating 0.
type Count struct{ plusOne int64 }

// Counted returns the Count that states n. n must not be negative.
func Counted(n int64) Count { return Count{n + 1} }

// Value returns the number, and whether it is stated.
func (c Count) Value() (n int64, stated bool) { return c.Int(), c.plusOne > 0 }

// Int returns the number, 0 when it is not stated.
func (c Count) Int() int64 { return max(c.plusOne-1, 0) }

func (c Count) IsZero() bool { return c.plusOne == 0 }

func (c Count) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }

// AppendJSON appends the number.
func (c Count) AppendJSON(b []byte) []byte { return strconv.AppendInt(b, c.Int(), 10) }

// UnmarshalJSON takes a number, or a string that spells one; null states nothing.
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

// A Deletion names posts of one content source. With only ContentSource set it
// names all of them; Batch, GUIDs and URLs restrict it; a post in either list
// is named.
type Deletion struct {
	ContentSource ContentSourceID
	Batch         string
	GUIDs         []string
	URLs          []string
}

// A Snapshot is what an account's counters read on a day.
type Snapshot struct {
	Date      Date
	Followers Count
	Likes     Count
}
