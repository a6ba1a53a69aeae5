package query

import "earshot"

// Terms returns the words that q looks for in texts, in lower case, without accents and sigils, each
// once. Words after NOT and values of other fields are not among them.
func (q *Query) Terms() (terms []string) {
	d := NewDocument(&earshot.Post{Contents: q.String()})
	in := &d.main
	found := in.pool.newSpans()
	defer found.free()
	q.root.highlight(in, found)
	seen := map[string]bool{}
	for _, g := range found.groups {
		for i := g.starts.next(0); i >= 0; i = g.starts.next(i + 1) {
			for _, word := range in.words[i:min(i+g.width, len(in.words))] {
				if text := string(in.bytes(word.plain)); text != "" && !seen[text] {
					seen[text] = true
					terms = append(terms, text)
				}
			}
		}
	}
	return terms
}
