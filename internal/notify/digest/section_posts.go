package digest

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
)

// sectionPosts is the number of posts that a report shows; a workbook has all of them.
const sectionPosts = 10

// postsSection lists posts. Texts that may not be shown are missing already.
func postsSection(p *card.PostsResponse, printed int) report.Section {
	var s report.Section
	s.Data.Columns = []report.Column{
		{Name: "Date", Kind: report.TimeColumn}, {Name: "Source"}, {Name: "Author"}, {Name: "Title"}, {Name: "Text"}, {Name: "URL"},
		{Name: "Sentiment or category"}, {Name: "Likes", Kind: report.NumberColumn}, {Name: "Shares", Kind: report.NumberColumn}, {Name: "Comments", Kind: report.NumberColumn},
	}
	of := func(n int) string {
		if p.Total > int64(n) {
			return fmt.Sprintf("%s of %s", format.Number(int64(n)), format.Plural(p.Total, "post", "posts"))
		}
		return format.Plural(p.Total, "post", "posts") + " in total"
	}
	s.Note, s.Data.Note = of(min(len(p.Items), printed)), of(len(p.Items))
	var posts report.Posts
	for i, item := range p.Items {
		if i < printed {
			posts = append(posts, reportPost(item))
		}
		s.Data.Rows = append(s.Data.Rows, []any{
			time.Time(item.Date), string(item.Type), authorName(item), textOf(item.Title), textOf(item.Contents), item.URL, categoryOf(item),
			report.CountCell(item.Likes), report.CountCell(item.Shares), report.CountCell(item.Comments),
		})
	}
	s.Blocks = []report.Block{posts}
	if len(posts) == 0 {
		s.Blocks = []report.Block{report.Note("No posts.")}
	}
	return s
}

// textOf returns a text, which is empty if it may not be shown.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func authorName(p *postview.HighlightedPost) string { return cmp.Or(p.Author, p.AuthorUsername) }

// categoryOf returns the name of the sentiment or category of a post.
func categoryOf(p *postview.HighlightedPost) string {
	for _, s := range p.CategoryScores {
		if s.CategoryID == p.AssignedCategoryID {
			return shortCategory(s.CategoryName)
		}
	}
	return ""
}

// reportPost returns what a report shows of a post.
func reportPost(p *postview.HighlightedPost) report.Post {
	head := []string{string(p.Type)}
	if author := authorName(p); author != "" {
		head = append(head, author)
	}
	if !p.Date.IsZero() {
		head = append(head, format.DateTime(time.Time(p.Date)))
	}
	shown := report.Post{Head: strings.Join(head, " · "), Title: textOf(p.Title), Text: textOf(p.Contents), URL: p.URL}
	if p.Contents == nil {
		shown.Text = "Text not shown"
	}
	var facts []string
	for _, f := range []struct {
		count     earshot.Count
		one, many string
	}{{p.Likes, "like", "likes"}, {p.Shares, "share", "shares"}, {p.Comments, "comment", "comments"}, {p.Replies, "reply", "replies"}, {p.Retweets, "retweet", "retweets"}} {
		if n, stated := f.count.Value(); stated && n > 0 {
			facts = append(facts, format.Plural(n, f.one, f.many))
		}
	}
	if category := categoryOf(p); category != "" {
		facts = append(facts, category)
	}
	if p.Copies > 1 {
		facts = append(facts, format.Plural(p.Copies-1, "similar post", "similar posts"))
	}
	shown.Facts = strings.Join(facts, " · ")
	return shown
}
