package storetest

import (
	"fmt"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

var similarCases = []testCase{
	{"similar words are within the edits, nearest and most frequent first", func(s *subject) {
		s.addTexts("apple apples", "ample", "aple", "Apples!", "maple apply", "plum")
		s.wantSimilar(poststore.Selection{}, "apple", 0, 10, "apple 0 1")
		s.wantSimilar(poststore.Selection{}, "aplpe", 1, 10, "aple 1 1, apple 1 1")
		s.wantSimilar(poststore.Selection{}, "apple", 1, 10, "apple 0 1, apples 1 2, ample 1 1, aple 1 1, apply 1 1")
		s.wantSimilar(poststore.Selection{}, "apple", 2, 10, "apple 0 1, apples 1 2, ample 1 1, aple 1 1, apply 1 1, maple 2 1")
		s.wantSimilar(poststore.Selection{}, "apple", 2, 2, "apple 0 1, apples 1 2")
		s.wantSimilar(poststore.Selection{}, "apple", 2, 0, "")
		s.wantSimilar(poststore.Selection{}, "zzz", 2, 10, "")
	}},
	{"case, accents and sigils of similar words do not matter, and a post counts once", func(s *subject) {
		s.addTexts("Café cafe #café @CAFE", "#CAFÈ", "cafés", "see https://example.com/cafe")
		s.wantSimilar(poststore.Selection{}, "#Cáfe", 1, 10, "cafe 0 3, cafes 1 1")
	}},
	{"similar words of several bytes count characters", func(s *subject) {
		s.addTexts("кофе", "кофэ", "ко", "カフェ", "日本語")
		s.wantSimilar(poststore.Selection{}, "кофе", 1, 10, "кофе 0 1, кофэ 1 1")
		s.wantSimilar(poststore.Selection{}, "кофе", 2, 10, "кофе 0 1, кофэ 1 1, ко 2 1")
	}},
	{"similar words are those of selected posts that still exist", func(s *subject) {
		s.add(custom(3, "a", func(p *earshot.Post) { p.Contents = "apple" }), custom(3, "b", func(p *earshot.Post) { p.Contents = "apples" }), post("c", func(p *earshot.Post) { p.Contents = "aple" }))
		s.wantSimilar(poststore.Selection{ContentSource: 3}, "apple", 1, 10, "apple 0 1, apples 1 1")
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}})
		s.wantSimilar(poststore.Selection{}, "apple", 1, 10, "apple 0 1, aple 1 1")
		s.wantSimilar(poststore.Selection{Set: 99}, "apple", 1, 10, "")
	}},
	{"only a single word has similar ones", func(s *subject) {
		for _, word := range []string{"", "...", "two words"} {
			if got, err := s.Similar(s.ctx(), poststore.Selection{}, word, 1, 10); err == nil {
				s.Errorf("%q: got %v, want an error", word, got)
			}
		}
		for _, edits := range []int{-1, 4} {
			if _, err := s.Similar(s.ctx(), poststore.Selection{}, "apple", edits, 10); err == nil {
				s.Errorf("%d edits: got no error", edits)
			}
		}
		if _, err := s.Similar(s.ctx(), poststore.Selection{}, "apple", 1, -1); err == nil {
			s.Error("negative limit: got no error")
		}
	}},
}

// addTexts adds a post for each text.
func (s *subject) addTexts(texts ...string) {
	var batch []poststore.MatchedPost
	for i, text := range texts {
		batch = append(batch, post(fmt.Sprint("text", i), func(p *earshot.Post) { p.Contents = text }))
	}
	s.add(batch...)
}

// wantSimilar checks similar words, each with its edits and posts.
func (s *subject) wantSimilar(of poststore.Selection, word string, edits, limit int, want string) {
	s.Helper()
	found, err := s.Similar(s.ctx(), of, word, edits, limit)
	s.check(err)
	if got := spellSimilar(found); got != want {
		s.Errorf("%d edits from %s: got %q, want %q", edits, word, got, want)
	}
}

func spellSimilar(found []poststore.Spelling) string {
	var all []string
	for _, w := range found {
		all = append(all, fmt.Sprint(w.Word, " ", w.Edits, " ", w.Posts))
	}
	return strings.Join(all, ", ")
}
