package enginekit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"earshot/internal/poststore"
	"earshot/internal/query"
)

// maxEdits bounds the words that Similar examines.
const maxEdits = 3

// CheckSimilar returns the plain spelling of a word, or an error if Similar cannot look for it.
func CheckSimilar(word string, edits, limit int) (string, error) {
	plain, ok := query.Plain(word)
	switch {
	case !ok:
		return "", fmt.Errorf("%q is not a single word", word)
	case edits < 0 || edits > maxEdits:
		return "", fmt.Errorf("%d edits are not from 0 to %d", edits, maxEdits)
	case limit < 0:
		return "", fmt.Errorf("negative limit %d", limit)
	}
	return plain, nil
}

// FirstSpellings sorts spellings as Similar returns them, and returns the first.
func FirstSpellings(all []poststore.Spelling, limit int) []poststore.Spelling {
	slices.SortFunc(all, func(a, b poststore.Spelling) int {
		return cmp.Or(cmp.Compare(a.Edits, b.Edits), cmp.Compare(b.Posts, a.Posts), strings.Compare(a.Word, b.Word))
	})
	return all[:min(limit, len(all))]
}

// WalkPlain calls visit with the plain spelling of each single word of a document, each once.
func WalkPlain(doc *query.Document, visit func(plain string)) {
	seen := map[string]bool{}
	var key []byte
	for i := range doc.Len() {
		key = doc.AppendKey(key[:0], i)
		if t, ok := query.ParseKey(key); ok && t.Width == 1 && !seen[string(t.Plain)] {
			seen[string(t.Plain)] = true
			visit(string(t.Plain))
		}
	}
}
