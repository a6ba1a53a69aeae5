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
	Punctuation // a run of ! and ?, or an ellipsis
	Rating      // "4/5", "4 stars" or "★★★★☆"; see Text.Ratings
)

// An Attr is a set of token attributes: how the token is written and where it appears.
type Attr uint8

const (
	Caps          Attr = 1 << iota // two or more letters, all capitals
	Elongated                      // a letter is repeated three or more times
	InHashtag                      // part of a hashtag
	ClauseStart                    // first in the text or after punctuation
	Negated                        // follows a negation in the same clause
	NoSpaceBefore                  // follows the previous token directly
	Good                           // a lexicon rates it as positive
	Bad                            // a lexicon rates it as negative
)

// A Token is a word, number, link, mention, emoji, emoticon or punctuation.
type Token struct {
	Hash       uint64 // hash of its form
	start, end uint32 // range of its form in Text.forms
	Kind       Kind
	Attr       Attr
}

// Has reports whether the token has any of the attributes in m.
func (t Token) Has(m Attr) bool { return t.Attr&m != 0 }

// A Text is a tokenized text. It reuses its buffers when it is tokenized again. The zero value is
// ready to use.
type Text struct {
	Tokens  []Token
	Ratings bool // Tokenize reads ratings as one token

	raw   []byte // the text with escapes resolved
	forms []byte
}

// Form returns the normalized form of a token of t. It is valid until the next [Text.Tokenize].
func (t *Text) Form(tok Token) []byte { return t.forms[tok.start:tok.end] }

func (t *Text) add(kind Kind, attr Attr, form string) {
	start := len(t.forms)
	t.forms = append(t.forms, form...)
	t.endToken(kind, attr, start)
}

// endToken adds a token whose form is t.forms[start:].
func (t *Text) endToken(kind Kind, attr Attr, start int) {
	h := uint64(hashSeed)
	for _, c := range t.forms[start:] {
		h = hashByte(h, c)
	}
	t.Tokens = append(t.Tokens, Token{h, uint32(start), uint32(len(t.forms)), kind, attr})
}
