package people

// readBio adds the words of a bio and what they say about the author.
func (r *Extractor) readBio(e *Evidence, bio string) {
	if bio == "" {
		e.Dense[denseNoBio] = 1
		return
	}
	b := bioReader{Extractor: r, e: e}
	s := wordScanner{text: bio}
	before := hashSeed
	for w := (word{}); s.next(&w); {
		before = e.addWord(GroupBio, &w, before)
		switch w.kind {
		case link:
			e.Dense[denseLink] = 1
		case mention:
			e.Dense[denseMention] = 1
		case mark:
			b.slash = w.single == '/'
			continue
		case number:
			b.founded = b.founded || b.last&sinceWord != 0 && minFounded <= w.value && w.value <= maxFounded
		case letters:
			b.word(&w)
		}
		b.count++
	}
	if b.founded && b.all&weWord != 0 && b.all&meWord == 0 {
		e.company = true // "Since 1987. We answer from 9 to 6"
	}
}

// Years in which companies that have accounts were founded.
const (
	minFounded = 1500
	maxFounded = 2099
)

// A bioReader holds the context of the word being read.
type bioReader struct {
	*Extractor
	e     *Evidence
	count int   // words so far
	last  class // classes of the previous word
	slash bool  // a slash follows the previous word
	all   class // classes of all words

	founded bool // the bio states a founding year
}

func (b *bioReader) word(w *word) {
	c := b.classes.of(w.hash)
	b.pronoun(c)
	b.role(c)
	b.name(w)
	b.last, b.slash = c, false
	b.all |= c
}

const anyPronoun = shePronoun | hePronoun | theyPronoun

// pronoun reads declared pronouns such as she/her. Contradictory pairs such as he/she declare
// nothing, but a leading they does.
func (b *bioReader) pronoun(c class) {
	if !b.slash || c&anyPronoun == 0 || b.e.declared != declaredNothing {
		return
	}
	either := func(p class) bool { return b.last&p != 0 && c&(p|theyPronoun) != 0 }
	switch {
	case either(shePronoun):
		b.e.declared = declaredFemale
	case either(hePronoun):
		b.e.declared = declaredMale
	case b.last&theyPronoun != 0:
		b.e.declared = declaredNeither
	}
}

// role counts the roles of the author. "My wife" describes the author's partner, not the author.
func (b *bioReader) role(c class) {
	mine := b.last&possessive != 0
	switch {
	case mine && c&wifely != 0:
		b.e.Dense[denseWife] = 1
	case mine && c&husbandly != 0:
		b.e.Dense[denseHusband] = 1
	case mine:
	case c&femaleRole != 0:
		b.e.Dense[denseFemaleRole]++
	case c&maleRole != 0:
		b.e.Dense[denseMaleRole]++
	}
}

// name weights a first name by its position.
func (b *bioReader) name(w *word) {
	introduced := b.last&introduction != 0
	if w.length < minName || !w.capital && !introduced {
		return
	}
	n := b.names.find(w.hash)
	if n == nil || n.fame < 8 {
		return
	}
	switch {
	case b.count == 0:
		b.e.Dense[denseBioFirst] += n.value()
	case introduced:
		b.e.Dense[denseBioIntroduced] += n.value()
	default:
		b.e.Dense[denseBioOther] += n.value() / 2
	}
}
