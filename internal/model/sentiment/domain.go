package sentiment

import "earshot"

// A Domain is the kind of text that a post is. People write differently in each, and share facts
// more often in some, so the same words can mean different sentiments.
type Domain uint8

const (
	Social Domain = iota // tweets, posts and comments; also texts of unknown origin
	Review
	News
	Forum
	Domains = iota // the number of domains
)

// DomainOf returns the domain of the posts of a source.
func DomainOf(source earshot.Source) Domain {
	switch source {
	case earshot.Reviews:
		return Review
	case earshot.News, earshot.Blogs:
		return News
	case earshot.Forums, earshot.Reddit, earshot.HackerNews:
		return Forum
	}
	return Social
}

// DomainOfTexts returns the domain of the texts of a content source. Answers in surveys are most like
// reviews: someone asked for an opinion about a product or service. See docs/decisions/0032-sentiment-and-emotion.md.
func DomainOfTexts(d earshot.TextDomain) Domain {
	switch d {
	case earshot.ReviewTexts, earshot.SurveyTexts:
		return Review
	case earshot.NewsTexts:
		return News
	case earshot.ForumTexts:
		return Forum
	}
	return Social
}
