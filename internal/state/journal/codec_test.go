package journal

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/compress"
)

var update = flag.Bool("update", false, "rewrite the golden files; review the diff before committing")

// fullPost returns a post with every field set.
func fullPost() earshot.Post {
	rating := 4.5
	return earshot.Post{
		Source: earshot.Twitter, ContentSource: 1<<31 + 7, Team: 1<<31 + 8, Batch: "b1", GUID: "g1",
		URL: "http://example.com/?a=1&b=<2>", Site: "example.com",
		Time:  time.Date(2024, 2, 29, 23, 59, 58, 123456789, time.UTC),
		Title: "Title", Contents: "line one\nline two \u2028 \U0001F600 \"quoted\"", Language: "en",
		Author: "handle (Display Name)", AuthorUsername: "handle", AuthorProfileID: "42", Bio: "bio",
		Gender: earshot.Female, Age: earshot.Counted(30), Followers: earshot.Counted(0), Following: earshot.Counted(1),
		AuthorPosts: earshot.Counted(2), Klout: earshot.Counted(3), Verified: true,
		Location: "San Diego, CA", Place: earshot.Place{Country: "USA", State: "CA", City: "San Diego"},
		Point: &earshot.Point{Latitude: 32.7157, Longitude: -117.1611}, Zipcode: "92101", Geotagged: true,
		Engagement: earshot.Retweet, EngagingWith: "other", ParentGUID: "p1", PageID: "page",
		Likes: earshot.Counted(4), Shares: earshot.Counted(5), Comments: earshot.Counted(6), Replies: earshot.Counted(7),
		Retweets: earshot.Counted(8), Views: earshot.Counted(1 << 52), Rating: &rating,
		Hashtags: []string{"a", "b"}, Mentions: []string{"other", "third"}, Links: []string{"http://a"}, MediaURLs: []string{"http://m"},
		Images: []earshot.Image{{
			URL: "http://i", Alt: "alt",
			Brands:  []earshot.ImageBrand{{ID: "1", Name: "brand", Size: "small", Score: 0.5}},
			Objects: []earshot.ImageObject{{Score: 0.25, ClassID: 3, ClassName: "cat"}},
			Picture: picture(),
		}},
		Custom:   map[string]string{"k": "v"},
		Cashtags: []string{"acme"}, AgeGroup: earshot.TwentyFiveToThirtyFour,
		Sentiment: earshot.Sentiment{10, 20, 70}, Emotion: earshot.Emotion{1, 2, 3, 4, 5, 6, 79},
		Interests: []earshot.InterestID{1, 300}, AuthorInterests: []earshot.InterestID{2},
		Inferred: earshot.InferredLanguage | earshot.InferredImages, InferredBy: 300,
	}
}

// picture returns a picture with every field set.
func picture() *earshot.Picture {
	return &earshot.Picture{
		Hash: "9f86d081", Similar: 1<<63 + 5, Width: 640, Height: 480, Model: "1",
		Brands:  []earshot.ImageBrand{{ID: "1", Name: "brand", Size: "small", Score: 0.5}},
		Objects: []earshot.ImageObject{{Score: 0.25, ClassID: 3, ClassName: "cat"}},
	}
}

// unpicturedPost returns the full post as it was before anybody looked at pictures.
func unpicturedPost() earshot.Post {
	p := fullPost()
	p.Images[0].Picture = nil
	return p
}

// unseenPost returns the full post without the attributes that models infer, as before there were
// models.
func unseenPost() earshot.Post {
	p := unpicturedPost()
	p.Cashtags, p.AgeGroup, p.Sentiment, p.Emotion = nil, 0, earshot.Sentiment{}, earshot.Emotion{}
	p.Interests, p.AuthorInterests, p.Inferred, p.InferredBy = nil, nil, 0, 0
	return p
}

// firstPost returns the full post as it was before posts had mentions.
func firstPost() earshot.Post {
	p := unseenPost()
	p.EngagingWith, p.Mentions = "", nil
	return p
}

func entries() map[string]Entry {
	return map[string]Entry{
		"posts":    {Posts: []earshot.Post{firstPost(), {}, {GUID: "g2", Likes: earshot.Counted(0)}}},
		"models":   {Posts: []earshot.Post{unpicturedPost(), {GUID: "g2", Sentiment: earshot.Sentiment{0, 100, 0}}, {GUID: "g3", InferredBy: 1}}},
		"pictures": {Posts: []earshot.Post{fullPost(), {GUID: "g2", Images: []earshot.Image{{URL: "a"}, {URL: "b", Picture: &earshot.Picture{}}}}}},
		"looked": {Pictures: &Pictures{
			Posts: []PicturedPost{{Key: earshot.PostKey{Source: earshot.Bluesky, GUID: "1"}, Position: 9}, {Key: earshot.PostKey{ContentSource: 7, GUID: "2"}}},
			Found: map[string]*earshot.Picture{"http://i?a&b": picture(), "http://j": {Hash: "00"}},
		}},
		"look": {Pictures: &Pictures{Posts: []PicturedPost{{Key: earshot.PostKey{Source: earshot.Bluesky, GUID: "1"}}}}},
		"looks": {Looks: []Look{
			{
				Key: earshot.PostKey{Source: earshot.Bluesky, GUID: "1"}, Text: 1<<32 - 1, Models: 2<<16 | 8,
				Sentiment: earshot.Sentiment{10, 20, 70}, Emotion: earshot.Emotion{1, 2, 3, 4, 5, 6, 79},
			},
			{Key: earshot.PostKey{ContentSource: 7, GUID: "2"}},
		}},
		"mentions": {Posts: []earshot.Post{unseenPost(), {GUID: "g2", EngagingWith: "other"}, {GUID: "g3", Mentions: []string{"other"}}}},
		"deletion": {Deletion: &earshot.Deletion{ContentSource: 7, Batch: "b", GUIDs: []string{"1"}, URLs: []string{"http://a?b&c"}}},
		"removal":  {Deletion: &earshot.Deletion{Batch: "live/7", Before: time.Date(2026, 3, 15, 12, 0, 0, 5, time.UTC)}},
		"erasure":  {Deletion: &earshot.Deletion{Source: earshot.Bluesky, Accounts: []string{"ann.example", "did:plc:a"}}},
		"origin": {
			Deletion: &earshot.Deletion{Source: earshot.Bluesky, GUIDs: []string{"1"}, Pages: []string{"did:plc:a"}},
			Origin:   &Origin{Source: 7, Cursor: "1763251200000000"},
		},
		"figures": {Snapshots: &AccountSnapshots{Monitor: 9, Snapshots: []earshot.Snapshot{
			{Date: earshot.Date{Year: 2024, Month: 2, Day: 29}, Followers: earshot.Counted(0)},
			{Date: earshot.Date{Year: 2024, Month: 3, Day: 1}, Likes: earshot.Counted(5)},
		}}},
	}
}

func TestFullPostSetsEveryField(t *testing.T) {
	v := reflect.ValueOf(fullPost())
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not set, so the tests would not notice its loss", v.Type().Field(i).Name)
		}
	}
}

func TestEncodedEntriesRoundTrip(t *testing.T) {
	for name, want := range entries() {
		data, err := Encode(want)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestTimesAreConvertedToUTC(t *testing.T) {
	local := time.Date(2024, 5, 1, 12, 0, 0, 1, time.FixedZone("", 2*60*60))
	data, err := Encode(Entry{Posts: []earshot.Post{{Time: local}}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Posts[0].Time, local.UTC(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The golden files are stored entries. All later versions must be able to read them.
func TestDurableFormat(t *testing.T) {
	for name, want := range entries() {
		binary, text := filepath.Join("testdata", name+".v1"), filepath.Join("testdata", name+".v1.plain")
		plain, err := encode(want)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			data, err := Encode(want)
			if err := errors.Join(err, os.WriteFile(binary, data, 0o644), os.WriteFile(text, plain, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(binary)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Decode(data); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", binary, got, err, want)
		}
		golden, err := os.ReadFile(text)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(plain, golden) {
			t.Errorf("%s: entries are now written as\n%q\nwant\n%q", name, plain, golden)
		}
	}
}

func TestDecodeRejectsBadData(t *testing.T) {
	f := func(name string, data []byte, want string) {
		t.Helper()
		if _, err := Decode(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	f("nothing", nil, "no data")
	f("another version", []byte{2, 0}, "unknown format version 2")
	f("not compressed", []byte("\x01hello"), "magic")
	f("not JSON", pack("hello\n"), "invalid character")
	f("fewer posts than announced", pack("{\"posts\":2}\n\x05\x01a\x00"), "post 1: the data ends in the middle")
	f("more posts than announced", pack("{\"posts\":1}\n\x00\x00"), "1 bytes follow the last post")
	f("a negative number of posts", pack("{\"posts\":-1}\n"), "-1 posts announced")
	f("too many posts", pack("{\"posts\":10001}\n"+strings.Repeat("\x00", 10001)), "at most 10000")
	f("more posts than bytes", pack("{\"posts\":5}\n\x00"), "5 posts announced")
	f("an unknown field", pack("{\"posts\":1}\n\xff\x00"), "post 0: field 255 is unknown")
	f("fields out of order", pack("{\"posts\":1}\n\x06\x01a\x05\x01a\x00"), "post 0: field 5 is unknown or out of order")
	f("a text longer than the data", pack("{\"posts\":1}\n\x05\xff\x01abc"), "post 0: the data ends in the middle")
	f("a number without an end", pack("{\"posts\":1}\n\x05"+strings.Repeat("\xff", 20)), "post 0: the data ends in the middle")
	f("a list longer than the data", pack("{\"posts\":1}\n\x28\xff\xff\x03\x01a"), "post 0: the data ends in the middle")
	f("a picture of a missing image", pack("{\"posts\":1}\n\x37\x01\x00\x00"), "post 0: field 55 is about image 0 of 0")
	f("no change", pack("{}\n"), "one kind of change, got 0")
	f("two changes", pack("{\"posts\":1,\"deletion\":{}}\n\x00"), "one kind of change, got 2")
	f("two kinds of results", pack("{\"pictures\":{},\"looks\":[{}]}\n"), "one kind of change, got 2")
	f("too many looks", pack("{\"looks\":[{}"+strings.Repeat(",{}", MaxLooks)+"]}\n"), "501 looks, at most 500 are allowed")
	f("a score above 255", pack("{\"looks\":[{\"sentiment\":[256,0,0]}]}\n"), "cannot unmarshal number 256")
	f("a bomb", pack(strings.Repeat(" ", compress.MaxDecoded+1)), "decode journal entry: ")
}

func TestEncodeRejectsLargeEntries(t *testing.T) {
	for _, e := range []Entry{
		{Posts: make([]earshot.Post, MaxPosts+1)},
		{Posts: []earshot.Post{{Contents: strings.Repeat("x", compress.MaxDecoded)}}},
	} {
		if _, err := Encode(e); !errors.Is(err, ErrTooLarge) {
			t.Errorf("got %v, want ErrTooLarge", err)
		}
	}
}

func TestEncodeRejectsTooManyLooks(t *testing.T) {
	for _, n := range []int{MaxLooks, MaxLooks + 1} {
		if _, err := Encode(Entry{Looks: make([]Look, n)}); (err != nil) != (n > MaxLooks) {
			t.Errorf("%d looks: got %v", n, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range entries() {
		data, err := Encode(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		plain, _ := encode(e)
		f.Add(pack(string(plain[:len(plain)/2])))
	}
	f.Add([]byte{})
	f.Add([]byte{formatVersion})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Encode(e)
		if err != nil {
			return // a count or a time that only a mutation can produce
		}
		got, err := Decode(again)
		if err != nil {
			t.Fatalf("an encoded entry cannot be decoded: %v", err)
		}
		if third, err := Encode(got); err != nil || !bytes.Equal(third, again) { // compare bytes, because NaN != NaN
			t.Errorf("got %+v, %v, want %+v", got, err, e)
		}
	})
}

func pack(plain string) []byte {
	return compress.Append([]byte{formatVersion}, []byte(plain))
}

// typical returns the entry of a typical upload: 1,000 posts with text, author and a few counters.
func typical() Entry {
	words := strings.Fields(`the quick brown fox jumps over lazy dogs while seven wizards quietly brew coffee for everyone in town`)
	e := Entry{Posts: make([]earshot.Post, 1000)}
	for i := range e.Posts {
		var text strings.Builder
		for k := range 25 {
			text.WriteString(words[(i*7+k*k+k*i)%len(words)] + " ")
		}
		id := strings.Repeat(string(rune('a'+i%26)), 3) + time.Duration(i).String()
		e.Posts[i] = earshot.Post{
			Source: earshot.Twitter, GUID: id, URL: "http://twitter.com/user/status/" + id, Site: "twitter.com",
			Time: time.Unix(1700000000+int64(i), 0).UTC(), Contents: text.String(), Language: "en",
			Author: "user" + id, AuthorUsername: id, Followers: earshot.Counted(int64(i)), Likes: earshot.Counted(3),
			Engagement: earshot.OriginalPost, Hashtags: []string{"coffee"},
		}
	}
	return e
}

func BenchmarkEncode(b *testing.B) {
	e := typical()
	for b.Loop() {
		if _, err := Encode(e); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(e.Posts)), "ns/post")
}

func BenchmarkDecode(b *testing.B) {
	e := typical()
	data, err := Encode(e)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Decode(data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(e.Posts)), "ns/post")
	b.ReportMetric(float64(len(data))/float64(len(e.Posts)), "B/post")
}
