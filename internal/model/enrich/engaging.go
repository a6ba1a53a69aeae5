package enrich

import (
	"strings"
	"unicode"

	"earshot"
)

// fillEngagement tells how a post relates to others, where it does not say so itself.
// What has a parent answers it; a microblog's text shows in its beginning what it is.
func fillEngagement(p *earshot.Post) {
	if p.Engagement == "" {
		p.Engagement = engagementOf(p)
	}
}

func engagementOf(p *earshot.Post) earshot.Engagement {
	text := strings.TrimSpace(p.Contents)
	_, repeats := cutAt(cutRT(text))
	_, answers := cutAt(text)
	switch {
	case p.Source.IsMicroblog() && repeats:
		return earshot.Retweet
	case p.Source.IsMicroblog() && (answers || p.ParentGUID != ""):
		return earshot.Reply
	case p.Source == earshot.Comments || p.ParentGUID != "":
		return earshot.Comment
	}
	return earshot.OriginalPost
}

// fillEngagingWith finds whose post a post repeats or answers, where its text says
// so at its beginning: RT @name in any post, @name in a reply or a comment.
func fillEngagingWith(p *earshot.Post) {
	if p.EngagingWith = bareHandle(p.EngagingWith); p.EngagingWith != "" {
		return
	}
	text := strings.TrimSpace(p.Contents)
	handle, ok := cutAt(cutRT(text))
	if !ok && (p.Engagement == earshot.Reply || p.Engagement == earshot.Comment) {
		handle, ok = cutAt(text)
	}
	if ok {
		p.EngagingWith = fullHandle(handleAt(handle, p.Source))
	}
}

// cutRT returns what follows the RT with which a repeated post begins, "" when
// text does not.
func cutRT(text string) string {
	const mark = "RT"
	if len(text) < len(mark) || !strings.EqualFold(text[:len(mark)], mark) {
		return ""
	}
	return strings.TrimLeftFunc(text[len(mark):], func(r rune) bool { return r == ':' || unicode.IsSpace(r) })
}

// cutAt returns what follows the @ with which text begins.
func cutAt(text string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		return rest, true
	}
	return strings.CutPrefix(text, "＠")
}
