package classify

// A Kind is what a token is.
type Kind uint8

const (
	Word Kind = iota
	Number
	Link
	Mention
	Emoji
	Emoticon
	Mark // a run of ! and ?, or dots that trail off
)

// A Mood is how a token is written or where it stands.
type Mood uint8

const (
	Caps    Mood = 1 << iota // all of two or more letters are capitals
	Drawn                    // a letter stands three or more times in a row
	Tagged                   // part of a hashtag
	Opening                  // the first after the beginning, or after a stop or comma
	Negated                  // after a word that negates, in the same clause
	Glued                    // not separated from the token before
)

// A Token is a piece of a text.
type Token struct {
	Hash       uint64 // of its form: equal forms have equal hashes
	start, end uint32 // of its form in Text.forms
	Kind       Kind
	Mood       Mood
}

// Has says whether the token has one of the moods.
func (t Token) Has(m Mood) bool { return t.Mood&m != 0 }

// A Text is a text split into tokens. It may be used for one text after another, and
// then keeps its memory. The zero Text is ready.
type Text struct {
	Tokens []Token
	raw    []byte // the text, escapes resolved
	forms  []byte
}

// Form returns the normalised form of a token of t. It is valid until the next Split.
func (t *Text) Form(tok Token) []byte { return t.forms[tok.start:tok.end] }

func (t *Text) add(kind Kind, mood Mood, form string) {
	start := len(t.forms)
	t.forms = append(t.forms, form...)
	t.close(kind, mood, start)
}

// close makes a token of all forms from start on.
func (t *Text) close(kind Kind, mood Mood, start int) {
	h := uint64(hashSeed)
	for _, c := range t.forms[start:] {
		h = hashByte(h, c)
	}
	t.Tokens = append(t.Tokens, Token{h, uint32(start), uint32(len(t.forms)), kind, mood})
}
