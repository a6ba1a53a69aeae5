package insight

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"earshot"
	"earshot/internal/model/stopword"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// Limits of names.
const (
	nameSample    = 300 // posts of a topic that its name comes from
	maxNameWords  = 4   // of a name
	maxNameTokens = 80  // of a text that are read; a headline and the first sentences
	maxNameBytes  = 60
	minNameTexts  = 2   // different texts that have the name
	otherWeight   = 0.3 // of a word that is not a term of the topic
	nextWeight    = 0.3 // how much less each term weighs than the one before it, which is more typical
	minTagTexts   = 0.2 // share of the texts that have a hashtag that is added to a phrase
)

// nameTopic returns a name for posts about some terms: the phrase of one to four words, or the hashtag,
// that most of the texts have, as people write it. A phrase is followed by a frequent hashtag. If there
// is neither, the name is the first three terms. spelled are the terms without elided articles: installation for linstallation.
func (s *Service) nameTopic(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, terms []string) (name string, spelled []string, err error) {
	n := topicNamer{terms: map[string]string{}, weights: map[string]float64{}, searched: searchWords(m.Criteria.Keywords), phrases: map[string]*namePhrase{}}
	for i, t := range terms {
		n.terms[t], n.weights[t] = t, 1/(1+nextWeight*float64(i))
	}
	var posts []earshot.Post
	_, err = s.Store.Sample(ctx, sel, nameSample, func(p *earshot.Post) { posts = append(posts, *p) })
	if err != nil {
		return "", nil, err
	}
	slices.SortFunc(posts, func(a, b earshot.Post) int { return earshot.ComparePosts(&b, &a) }) // oldest first, as groups require
	for i := range posts {
		n.add(&posts[i])
	}
	for _, t := range terms {
		if t = n.terms[t]; !slices.Contains(spelled, t) {
			spelled = append(spelled, t)
		}
	}
	return cmp.Or(n.best(), termName(spelled)), spelled, nil
}

// termName returns the three most typical terms as a name.
func termName(terms []string) string { return strings.Join(terms[:min(3, len(terms))], ", ") }

// A topicNamer counts the phrases of posts about a topic.
type topicNamer struct {
	terms    map[string]string // without elided articles
	weights  map[string]float64
	searched map[string]bool // not part of a name, because all posts of the monitor have them
	reader   textReader
	texts    enginekit.Grouper
	groups   []int // texts by group of duplicates
	phrases  map[string]*namePhrase
}

// A namePhrase is a phrase that may be a name.
type namePhrase struct {
	tag    bool
	value  float64        // sum of the weights of its words
	groups map[int]bool   // of duplicates that have it
	forms  map[string]int // spellings
}

// A nameWord is a word of a text, as it is written and in lower case without apostrophes. A word after
// an elided article, as in l'installation, is on its own if the phrase begins with it.
type nameWord struct {
	written, plain   string
	elided, unelided string // the word without the article, as written and plain; the same if it has none
	starts           bool   // a sentence
	tag              bool
}

func (n *topicNamer) add(p *earshot.Post) {
	text := n.reader.read(p)
	group := n.texts.Add(&text.sketch, text.shingles, func(int) []uint32 { return nil }) // a sample is small enough to keep all shingles
	if group == len(n.groups) {
		n.groups = append(n.groups, 0)
	}
	n.groups[group]++
	stop := stopword.Of("en", p.Language)
	isContent := func(plain string) bool {
		return !stop.Has(plain) && !n.searched[plain] && !isLetter(plain) && strings.ContainsFunc(plain, unicode.IsLetter) && !slices.Contains(markupWords, plain)
	}
	for _, words := range nameSegments(p.Title + "\n" + p.Contents) {
		for i := range words {
			value, terms := 0.0, 0
			for k := i; k < len(words) && k < i+maxNameWords; k++ {
				w := &words[k]
				if k > i && (w.tag || words[i].tag) {
					break
				}
				plain := w.unelided
				isTerm := n.terms[plain] != "" || n.terms[w.plain] != ""
				if n.terms[w.plain] == w.plain {
					n.terms[w.plain] = plain
				}
				switch {
				case n.searched[plain]:
				case isTerm:
					value += max(n.weights[plain], n.weights[w.plain])
					terms++
				case isContent(plain):
					value += otherWeight
				}
				if k == i && !isTerm && !isContent(plain) {
					break
				}
				if terms == 0 || !isTerm && !isContent(plain) || n.searched[plain] {
					continue
				}
				n.count(words[i:k+1], value, group)
			}
		}
	}
}

// count adds a phrase of a text.
func (n *topicNamer) count(words []nameWord, value float64, group int) {
	var written, plain strings.Builder
	for i := range words {
		if i == 0 {
			written.WriteString(words[i].elided)
			plain.WriteString(words[i].unelided)
			continue
		}
		written.WriteString(" " + words[i].written)
		plain.WriteString(" " + words[i].plain)
	}
	if written.Len() > maxNameBytes {
		return
	}
	key := plain.String()
	if words[0].tag {
		key = "#" + key
	}
	p := n.phrases[key]
	if p == nil {
		p = &namePhrase{tag: words[0].tag, value: value, groups: map[int]bool{}, forms: map[string]int{}}
		n.phrases[key] = p
	}
	p.groups[group] = true
	if words[0].starts { // its first letter is a capital one in any case
		p.forms[written.String()] += 0
	} else {
		p.forms[written.String()]++
	}
}

// best returns the best name, or "".
func (n *topicNamer) best() string {
	phrase, tag := n.bestPhrase(false), n.bestPhrase(true)
	if tag == nil || phrase != nil && float64(len(tag.groups)) < minTagTexts*float64(len(n.groups)) {
		return phrase.spelling()
	}
	words, joined := phrase.spelling(), tag.spelling()
	plain, plainTag := strings.ToLower(words), strings.ToLower(joined[1:])
	switch {
	case strings.Contains(plain, plainTag):
		return words
	case strings.Contains(plainTag, strings.ReplaceAll(plain, " ", "")):
		return joined
	}
	return words + ", " + joined
}

// bestPhrase returns the best phrase or hashtag, or nil.
func (n *topicNamer) bestPhrase(tag bool) (best *namePhrase) {
	most := 0.0
	for _, plain := range slices.Sorted(maps.Keys(n.phrases)) {
		p := n.phrases[plain]
		if p.tag != tag || len(p.groups) < min(minNameTexts, len(n.groups)) {
			continue
		}
		texts := 0.0
		for g := range p.groups {
			texts += 1 + math.Log(float64(n.groups[g])) // a text that many copy is typical, but not as much as as many texts
		}
		if score := texts * p.value; score > most {
			best, most = p, score
		}
	}
	return best
}

// spelling returns how most people write the phrase within a sentence or, if it is only at the start of
// sentences, there.
func (p *namePhrase) spelling() (form string) {
	if p == nil {
		return ""
	}
	for _, f := range slices.Sorted(maps.Keys(p.forms)) {
		if form == "" || p.forms[f] > p.forms[form] {
			form = f
		}
	}
	return form
}

// nameSegments splits a text into runs of words without punctuation, mentions and links between them.
func nameSegments(text string) (segments [][]nameWord) {
	var words []nameWord
	starts, total := true, 0
	end := func() {
		if len(words) > 0 {
			segments = append(segments, words)
		}
		words = nil
	}
	for field := range strings.FieldsSeq(strings.ReplaceAll(text, "\n", " ¶ ")) { // a sign that is no word ends a segment
		if total == maxNameTokens {
			break
		}
		if strings.Contains(field, "://") || strings.HasPrefix(field, "@") || strings.HasPrefix(field, "www.") {
			end()
			continue
		}
		core := strings.TrimFunc(field, isNotWord)
		before, after, _ := strings.Cut(field, core)
		if core == "" || strings.ContainsFunc(core, func(r rune) bool { return isNotWord(r) && !strings.ContainsRune("'’‘׳-‐‑&", r) }) {
			end()
			starts = starts || strings.ContainsAny(field, ".!?:…¶")
			continue
		}
		tag := strings.HasSuffix(before, "#")
		if strings.TrimSuffix(before, "#") != "" {
			end()
			starts = true
		}
		w := newNameWord(core)
		w.starts = starts
		if tag {
			w.tag, w.starts, w.written, w.elided = true, false, "#"+core, "#"+core
		}
		words = append(words, w)
		total++
		starts = false
		if after != "" {
			end()
			starts = strings.ContainsAny(after, ".!?:…")
		}
	}
	end()
	return segments
}

func isNotWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
}

// elisions are articles and other words that lose their vowel before another one.
var elisions = strings.Fields("l d j m t s n c qu jusqu lorsqu puisqu quelqu dell all dall nell sull un quell gl anch com")

func newNameWord(written string) nameWord {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("'", "", "’", "", "‘", "", "׳", "").Replace(s))
	}
	w := nameWord{written: written, plain: plain(written), elided: written, unelided: plain(written)}
	if article, word, found := strings.Cut(strings.NewReplacer("’", "'", "‘", "'").Replace(written), "'"); found && word != "" && slices.Contains(elisions, strings.ToLower(article)) {
		w.elided, w.unelided = word, plain(word)
	}
	return w
}
