package query

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"earshot"
)

// TestMatchTables runs the cases in testdata/match.txt.
func TestMatchTables(t *testing.T) {
	text, err := os.ReadFile("testdata/match.txt")
	if err != nil {
		t.Fatal(err)
	}
	var q *Query
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "> "):
			if q, err = Parse(line[2:]); err != nil {
				t.Errorf("line %d: %s: %v", number, line, err)
			}
		case q == nil:
		case strings.HasPrefix(line, "  + "), strings.HasPrefix(line, "  - "):
			p, err := postOf(line[4:])
			if err != nil {
				t.Fatalf("line %d: %v", number, err)
			}
			if got, want := q.Match(NewDocument(p)), line[2] == '+'; got != want {
				t.Errorf("line %d: %s on %s: got %t, want %t", number, q, line[4:], got, want)
			}
		default:
			t.Fatalf("line %d: %q is not a case", number, line)
		}
	}
}

// postOf returns the post that a case describes. Fields may precede the contents in brackets, for
// example [title=a b; site=example.com] contents.
func postOf(text string) (*earshot.Post, error) {
	p := new(earshot.Post)
	if inside, ok := strings.CutPrefix(text, "["); ok {
		fields, contents, _ := strings.Cut(inside, "]")
		for pair := range strings.SplitSeq(fields, "; ") {
			name, value, _ := strings.Cut(pair, "=")
			if err := setField(p, name, value); err != nil {
				return nil, err
			}
		}
		text = strings.TrimPrefix(contents, " ")
	}
	contents, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	p.Contents = contents
	return p, err
}

func setField(p *earshot.Post, name, value string) error {
	number, _ := strconv.ParseFloat(value, 64)
	if custom, ok := strings.CutPrefix(name, "custom."); ok {
		p.Custom = map[string]string{custom: value}
		return nil
	}
	switch name {
	case "title":
		p.Title = value
	case "author":
		p.Author = value
	case "authorUsername":
		p.AuthorUsername = value
	case "bio":
		p.Bio = value
	case "url":
		p.URL = value
	case "links":
		p.Links = strings.Fields(value)
	case "hashtags":
		p.Hashtags = strings.Fields(value)
	case "at_mentions":
		p.Mentions = strings.Fields(value)
	case "authorGender":
		p.Gender = earshot.Gender(value)
	case "authorVerified":
		p.Verified = value == "true"
	case "language":
		p.Language = value
	case "place":
		parts := append(strings.Split(value, "."), "", "")
		p.Place = earshot.Place{Country: parts[0], State: parts[1], City: parts[2]}
	case "source":
		p.Source = earshot.Source(value)
	case "engagementType":
		p.Engagement = earshot.Engagement(value)
	case "engagingWith":
		p.EngagingWith = value
	case "site":
		p.Site = value
	case "guid":
		p.GUID = value
	case "parentGuid":
		p.ParentGUID = value
	case "pageId":
		p.PageID = value
	case "authorFollowers":
		p.Followers = earshot.Counted(int64(number))
	case "latitude":
		p.Point = &earshot.Point{Latitude: number}
	case "longitude":
		p.Point = &earshot.Point{Longitude: number}
	case "rating":
		p.Rating = &number
	default:
		return fmt.Errorf("unknown field %q", name)
	}
	return nil
}

// matcher returns a function that checks whether a query matches a text.
func matcher(t *testing.T) func(query, contents string, want bool) {
	return func(query, contents string, want bool) {
		t.Helper()
		if got := parse(t, query).Match(NewDocument(&earshot.Post{Contents: contents})); got != want {
			t.Errorf("%q on %q: got %t, want %t", query, contents, got, want)
		}
	}
}

func parse(t testing.TB, query string) *Query {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		t.Fatalf("Parse(%q): %v", query, err)
	}
	return q
}

func TestResetReplacesPost(t *testing.T) {
	d := NewDocument(&earshot.Post{Title: "apple #東京", Contents: "pie"})
	parse(t, "title:apple").Match(d)
	next := &earshot.Post{Contents: "tart"}
	d.Reset(next)
	if d.Post != next {
		t.Errorf("Post is not the one passed to Reset")
	}
	for query, want := range map[string]bool{`apple`: false, `title:apple`: false, `pie`: false, `#東京`: false, `tart`: true} {
		if got := parse(t, query).Match(d); got != want {
			t.Errorf("%q after Reset: got %t, want %t", query, got, want)
		}
	}
}
