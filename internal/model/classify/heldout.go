package classify

// HeldOut reports whether a labeled text is one of the 1/n that are not trained on, but used to
// calibrate and to measure. Texts that start alike, such as retweets, are held out together: with
// copies of training texts, a model would look more accurate than it is. Packages that fit something
// to the predictions of a model choose its held-out texts with this function.
func HeldOut(text string, n int) bool { return Mix(PrefixHash(text), 3)%uint64(n) == 0 }

// PrefixHash returns a hash of the first words of a text. It is the same for copies with different
// links, mentions, hashtags and punctuation. Texts of fewer than three words are hashed verbatim.
func PrefixHash(text string) uint64 {
	const maxWords, maxBytes = 7, 2000
	var t Text
	t.Tokenize(text, maxBytes)
	words, h := 0, uint64(0)
	for _, tok := range t.Tokens {
		if tok.Kind == Word && !tok.Has(InHashtag) && words < maxWords {
			h = Mix(h, tok.Hash)
			words++
		}
	}
	if words < 3 {
		return Hash(text)
	}
	return h
}
