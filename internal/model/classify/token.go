package classify

// A Kind is the kind of a token.
type Kind uint8

const (
	Word Kind = iota
	Number
	Link
	Mention
	Emoji
	Emoticon
	Punctuation // a run of ! and ?, or dots that trail off
)

// An Attr is a set of attributes of a token: how it is written and where it stands.
type Attr uint8

const (
	Caps          Attr = 1 << iota // two or more letters, all capitals
	Elongated                      // a letter is repeated three or more times
	InHashtag                      // part of a hashtag
	ClauseStart                    // first of the text or after punctuation
	Negated                        // follows a negation in the same clause
	NoSpaceBefore                  // follows the previous token directly
)

// A Token is a word, link, emoji or the like.
type Token struct {
	Hash       uint64 // of its form
	start, end uint32 // of its form in Text.forms
	Kind       Kind
	Attr       Attr
}

// Has reports whether the token has one of the attributes.
func (t Token) Has(m Attr) bool { return t.Attr&m != 0 }

// A Text is a tokenized text. It can be reused and then reuses its memory. The zero Text is ready
// to use.
type Text struct {
	Tokens []Token
	raw    []byte // the text without escapes
	forms  []byte
}

// Form returns the normalized form of a token of t. It is valid until the next Tokenize.
func (t *Text) Form(tok Token) []byte { return t.forms[tok.start:tok.end] }

func (t *Text) add(kind Kind, attr Attr, form string) {
	start := len(t.forms)
	t.forms = append(t.forms, form...)
	t.endToken(kind, attr, start)
}

// endToken makes a token of the forms from start.
func (t *Text) endToken(kind Kind, attr Attr, start int) {
	h := uint64(hashSeed)
	for _, c := range t.forms[start:] {
		h = hashByte(h, c)
	}
	t.Tokens = append(t.Tokens, Token{h, uint32(start), uint32(len(t.forms)), kind, attr})
}
