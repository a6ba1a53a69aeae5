package enrich

import (
	"strings"

	"earshot"
)

// fillUsername takes the user name from an author who reads "handle (Display Name)".
func fillUsername(p *earshot.Post) {
	if p.AuthorUsername == "" && p.Source.IsMicroblog() {
		p.AuthorUsername = handleOf(p.Author)
	}
}

// handleOf returns the handle of "handle (Display Name)", without @, and "" for
// an author that reads otherwise.
func handleOf(author string) string {
	author = strings.TrimSpace(author)
	handle, display, found := strings.Cut(author, " (")
	if !found || !strings.HasSuffix(display, ")") || strings.ContainsAny(handle, " \t\n") {
		return ""
	}
	return strings.TrimPrefix(handle, "@")
}
