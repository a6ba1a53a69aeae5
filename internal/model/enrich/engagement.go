package enrich

import (
	"strings"
	"unicode"

	"earshot"
)

// fillEngagement infers how a post relates to other posts, unless the post states it. A post with a
// parent is a reply or comment. A microblog post that starts with RT @name or @name is a retweet or
// reply.
func fillEngagement(p *earshot.Post) {
	if p.Engagement == "" {
		p.Engagement = engagementOf(p)
	}
}

func engagementOf(p *earshot.Post) earshot.Engagement {
	text := strings.TrimSpace(p.Contents)
	_, isRetweet := cutAtSign(cutRT(text))
	_, isReply := cutAtSign(text)
	switch {
	case p.Source.IsMicroblog() && isRetweet:
		return earshot.Retweet
	case p.Source.IsMicroblog() && (isReply || p.ParentGUID != ""):
		return earshot.Reply
	case p.Source == earshot.Comments || p.ParentGUID != "":
		return earshot.Comment
	}
	return earshot.OriginalPost
}

// fillEngagingWith extracts the account that a post engages with from the start of its text: RT
// @name in any post, @name in a reply or comment.
func fillEngagingWith(p *earshot.Post) {
	if p.EngagingWith = bareHandle(p.EngagingWith); p.EngagingWith != "" {
		return
	}
	text := strings.TrimSpace(p.Contents)
	handle, ok := cutAtSign(cutRT(text))
	if !ok && (p.Engagement == earshot.Reply || p.Engagement == earshot.Comment) {
		handle, ok = cutAtSign(text)
	}
	if ok {
		p.EngagingWith = fullHandle(handleAt(handle, p.Source))
	}
}

// cutRT returns the text after a leading RT, or "".
func cutRT(text string) string {
	const mark = "RT"
	if len(text) < len(mark) || !strings.EqualFold(text[:len(mark)], mark) {
		return ""
	}
	return strings.TrimLeftFunc(text[len(mark):], func(r rune) bool { return r == ':' || unicode.IsSpace(r) })
}

// cutAtSign returns the text after a leading @.
func cutAtSign(text string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		return rest, true
	}
	return strings.CutPrefix(text, "＠")
}
