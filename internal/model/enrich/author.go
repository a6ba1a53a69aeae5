package enrich

import "earshot"

// fillUsername takes the user name of microblogs from what the author reads.
func fillUsername(p *earshot.Post) {
	if p.AuthorUsername == "" && p.Source.IsMicroblog() {
		p.AuthorUsername = p.Handle()
	}
}
