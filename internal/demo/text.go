package demo

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// sentences is the minimum and maximum number of sentences per style.
var sentences = map[style][2]int{
	short:   {1, 2},
	caption: {1, 2},
	talk:    {1, 3},
	article: {3, 6},
}

// compose appends the sentences of a post.
func compose(b []byte, r *rand.Rand, g *grammar, m *theme, s style) []byte {
	for i, t := range choose(r, g, m, s) {
		if i > 0 {
			b = append(b, g.jointAfter(b)...)
		}
		b = t.say(b, r, &m.subject)
	}
	if s == article && !endsSentence(b) {
		b = append(b, '.')
	}
	return b
}

// choose picks the sentences of a post without repeats. They match the mood of the theme; for a
// machine, every second sentence adds a detail.
func choose(r *rand.Rand, g *grammar, m *theme, s style) []template {
	count := sentences[s]
	n := count[0] + r.IntN(count[1]-count[0]+1)
	lists := [][]template{g.find(m.section)}
	if m.topic != chatter && m.topic != ownVoice {
		lists = append(lists, g.find("detail"))
	}
	first := [2]int{r.IntN(1 << 16), r.IntN(1 << 16)}
	var chosen []template
	for i := range n {
		which, turn := i%len(lists), i/len(lists)
		list := lists[which]
		if turn == len(list) {
			break
		}
		chosen = append(chosen, list[(first[which]+turn)%len(list)])
	}
	return chosen
}

// jointAfter returns the separator between the text so far and the next sentence.
func (g *grammar) jointAfter(b []byte) string {
	if endsSentence(b) {
		return strings.TrimPrefix(g.joint, ".")
	}
	return g.joint
}

func endsSentence(b []byte) bool {
	last, _ := utf8.DecodeLastRune(b)
	return strings.ContainsRune(".!?。！？؟", last)
}

// hashtags picks the tags of a post, without # and without repeats.
func hashtags(r *rand.Rand, m *theme, s style) []string {
	maxTags := map[style]int{short: 2, caption: 4}[s]
	if maxTags == 0 {
		return nil
	}
	n := r.IntN(maxTags + 1)
	if s == caption {
		n = max(n, 1)
	}
	tags := []string{m.tag}
	if m.topic != chatter {
		tags = append(tags, coffeeTags[r.IntN(2)], coffeeTags[2+r.IntN(2)], coffeeTags[4+r.IntN(2)])
	}
	return tags[:min(n, len(tags))]
}

var coffeeTags = []string{"coffee", "espresso", "coffeelover", "barista", "kitchen", "morning"}

// decorate appends emoji and hashtags.
func decorate(b []byte, r *rand.Rand, m *theme, tags []string) []byte {
	if m.topic != chatter && r.Float64() < 0.3 {
		b = append(append(b, ' '), pick(r, emoji[m.mood])...)
	}
	for _, tag := range tags {
		b = append(append(b, " #"...), tag...)
	}
	return b
}
