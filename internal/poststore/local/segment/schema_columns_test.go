package segment

import (
	"fmt"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// TestColumns compares the columns with the posts.
func TestColumns(t *testing.T) {
	rows := sortedSample(1, 500)
	f := writeSegment(t, rows)
	stated := func(c earshot.Count) string {
		if n, ok := c.Value(); ok {
			return fmt.Sprint(uint64(n) + 1)
		}
		return "0"
	}
	tests := []struct {
		name string
		want func(r Row) string
	}{
		{"arrived", func(r Row) string { return fmt.Sprint(r.Arrived) }},
		{"taken", func(r Row) string { return fmt.Sprint(r.Ingested.Unix() / 86400) }},
		{"contentsource", func(r Row) string { return fmt.Sprint(r.Post.ContentSource) }},
		{"team", func(r Row) string { return fmt.Sprint(r.Post.Team) }},
		{"age", func(r Row) string { return stated(r.Post.Age) }},
		{"followers", func(r Row) string { return stated(r.Post.Followers) }},
		{"likes", func(r Row) string { return stated(r.Post.Likes) }},
		{"shares", func(r Row) string { return stated(r.Post.Shares) }},
		{"comments", func(r Row) string { return stated(r.Post.Comments) }},
		{"replies", func(r Row) string { return stated(r.Post.Replies) }},
		{"retweets", func(r Row) string { return stated(r.Post.Retweets) }},
		{"views", func(r Row) string { return stated(r.Post.Views) }},
		{"agegroup", func(r Row) string { return fmt.Sprint(uint8(poststore.AgeGroup(r.Post))) }},
		{"sentiment", func(r Row) string { return fmt.Sprint(r.Post.Sentiment.Assigned() + 1) }},
		{"emotion", func(r Row) string { return fmt.Sprint(r.Post.Emotion.Assigned() + 1) }},
		{"sentimentcell", func(r Row) string { return fmt.Sprint(r.Post.Sentiment.Cell()) }},
		{"emotioncell", func(r Row) string { return fmt.Sprint(r.Post.Emotion.Cell()) }},
		{"models", func(r Row) string { return fmt.Sprint(r.Post.InferredBy) }},
		{"source", func(r Row) string { return string(r.Post.Source) }},
		{"batch", func(r Row) string { return r.Post.Batch }},
		{"site", func(r Row) string { return r.Post.Site }},
		{"language", func(r Row) string { return r.Post.Language }},
		{"gender", func(r Row) string { return string(r.Post.Gender) }},
		{"engagement", func(r Row) string { return string(r.Post.Engagement) }},
		{"parent", func(r Row) string { return r.Post.ParentGUID }},
		{"page", func(r Row) string { return r.Post.PageID }},
		{"place", func(r Row) string {
			if p := r.Post.Place; !p.IsZero() {
				return p.Country + "\x00" + p.State + "\x00" + p.City
			}
			return ""
		}},
		{"author", func(r Row) string {
			if r.Post.AuthorUsername+r.Post.Author != "" {
				return r.Post.AuthorUsername + "\x00" + r.Post.Author
			}
			return ""
		}},
	}
	for _, tt := range tests {
		for row, r := range rows {
			if got, want := columnText(t, f, tt.name, uint32(row)), tt.want(r); got != want {
				t.Fatalf("%s of row %d: got %q, want %q", tt.name, row, got, want)
			}
		}
	}
}

// columnText returns the value of a column in a row as text.
func columnText(t *testing.T, f *Segment, name string, row uint32) string {
	t.Helper()
	c, err := f.Uints(name)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Has(name + ".names") {
		return fmt.Sprint(c.At(row))
	}
	names, err := f.Strings(name + ".names")
	if err != nil {
		t.Fatal(err)
	}
	if names.At(0) != "" {
		t.Fatalf("%s: the first name is %q", name, names.At(0))
	}
	return names.At(uint32(c.At(row)))
}

func TestHashtagsAndMentions(t *testing.T) {
	rows := sortedSample(2, 500)
	f := writeSegment(t, rows)
	flagged, err := f.Sets("flags")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		list, dict string
		flag       uint64
		want       func(p *earshot.Post) []string
	}{
		{"hashtags", "hashtag.names", 2, func(p *earshot.Post) []string { return p.Hashtags }},
		{"mentions", "mention.names", 3, func(p *earshot.Post) []string { return p.Mentions }},
		{"interests", "interest.names", 5, enginekit.Interests},
		{"imageclasses", "imageclass.names", 6, enginekit.ImageClasses},
		{"brands", "brand.names", 7, enginekit.Brands},
	} {
		lists, err := f.Lists(tt.list)
		if err != nil {
			t.Fatal(err)
		}
		names, err := f.Strings(tt.dict)
		if err != nil {
			t.Fatal(err)
		}
		for row, r := range rows {
			var got []string
			for _, number := range lists.Append(nil, uint32(row)) {
				got = append(got, names.At(number))
			}
			want := tt.want(r.Post)
			if !slices.Equal(got, want) || flagged.Contains(tt.flag, uint32(row)) != (len(want) > 0) {
				t.Fatalf("%s of row %d: got %q, want %q", tt.list, row, got, want)
			}
		}
	}
	for row, r := range rows {
		if flagged.Contains(0, uint32(row)) != r.Post.Geotagged || flagged.Contains(1, uint32(row)) != r.Post.Verified {
			t.Fatalf("row %d: wrong flags", row)
		}
	}
}

// TestWords compares the words of rows, and the rows of words, with the posts.
func TestWords(t *testing.T) {
	rows := sortedSample(3, 500)
	f := writeSegment(t, rows)
	lists, err := f.Lists("words")
	if err != nil {
		t.Fatal(err)
	}
	terms, err := f.Strings("terms")
	if err != nil {
		t.Fatal(err)
	}
	postings, err := f.Sets("postings")
	if err != nil {
		t.Fatal(err)
	}
	rowsOf := make([][]uint32, terms.Len())
	for row, r := range rows {
		d := query.NewDocument(r.Post)
		want := d.AppendTokenIDs(nil, func(i int) uint32 {
			number, ok := terms.Find(string(d.AppendKey(nil, i)))
			if !ok {
				t.Fatalf("row %d: no term %q", row, d.AppendKey(nil, i))
			}
			if set := rowsOf[number]; number > 0 && (len(set) == 0 || set[len(set)-1] != uint32(row)) {
				rowsOf[number] = append(set, uint32(row))
			}
			return number
		})
		if got := lists.Append(nil, uint32(row)); !slices.Equal(got, want) {
			t.Fatalf("words of row %d: got %v, want %v", row, got, want)
		}
	}
	for term, want := range rowsOf {
		if got := postings.Append(nil, uint64(term)); !slices.Equal(got, want) {
			t.Fatalf("rows of %q: got %v, want %v", terms.At(uint32(term)), got, want)
		}
		if term > 0 && len(want) == 0 {
			t.Errorf("no row contains %q", terms.At(uint32(term)))
		}
	}
}
