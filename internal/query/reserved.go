package query

import (
	"slices"
	"strings"
)

// checkWord refuses a word that means something else: syntax of the language
// that is not supported, and what other tools write for our operators. Taking it
// for a plain word would quietly select other posts.
func (l *lexer) checkWord(start, end int) error {
	text := string(l.src[start:end])
	if operator, misspelt := misspeltOperator(text); misspelt {
		return errorAt(start+1, "%s looks like a misspelt %s", quoted(text), operator)
	}
	if use, ok := foreignOperators[text]; ok {
		return errorAt(start+1, "%s is not an operator; use %s", quoted(text), use)
	}
	if name, _, _ := strings.Cut(text, "/"); name == "NEAR" || name == "ONEAR" {
		return errorAt(start+1, "%s is not supported", quoted(text))
	}
	if end > start+1 && strings.ContainsRune("!–—−", l.src[start]) && isWordRune(l.src[start+1]) {
		return errorAt(start+1, "%s does not exclude what follows; use NOT or -", quoted(string(l.src[start])))
	}
	if err := l.checkCharacters(start, end, "*?~{}"); err != nil {
		return err
	}
	return l.checkField(start, end)
}

// checkPhrase is checkWord for what stands between quotes.
func (l *lexer) checkPhrase(start, end int) error { return l.checkCharacters(start, end, "*?") }

// checkCharacters refuses characters that have a meaning we do not support.
func (l *lexer) checkCharacters(start, end int, reserved string) error {
	for i := start; i < end; i++ {
		if !strings.ContainsRune(reserved, l.src[i]) {
			continue
		}
		switch l.src[i] {
		case '*', '?':
			return errorAt(i+1, "the wildcard %c is not supported", l.src[i])
		case '~':
			return errorAt(i+1, "~ (words near each other) is not supported")
		default:
			return errorAt(i+1, "{text} (exact case) is not supported")
		}
	}
	return nil
}

// checkField refuses fields. Any other word with a colon inside is a phrase, as
// are all words with a sign inside.
func (l *lexer) checkField(start, end int) error {
	colon := start + slices.Index(l.src[start:end], ':')
	if colon < start {
		return nil
	}
	name := string(l.src[start:colon])
	switch {
	case colon == start:
		return errorAt(start+1, "a word cannot begin with a colon; the name of a field is glued to its colon")
	case isField(name):
		return errorAt(start+1, "the field %s is not supported", quoted(name+":"))
	case colon+1 == end && l.glued(end) && !l.has(end, ")"):
		return errorAt(start+1, "%s is not a field", quoted(name))
	}
	return nil
}

func isField(name string) bool {
	prefix, rest, dotted := strings.Cut(strings.ToLower(name), ".")
	if dotted {
		return prefix == "custom" && rest != ""
	}
	return slices.Contains(fields, prefix)
}

// fields are the names of the language's fields, in lower case.
var fields = strings.Fields(`title contents author authorgender authorfollowers authorverified site url links
	hashtags at_mentions language country region city continent latitude longitude source engagementtype
	engagingwith guid parentguid pageid pubtype rating bio raw`)

// foreignOperators are what other tools write for ours.
var foreignOperators = map[string]string{"&&": "AND", "&": "AND", "+": "AND", "||": "OR", "|": "OR", "!": "NOT", "-": "NOT, or - without a space after it"}

// misspeltOperator returns the operator that a word was most likely meant to be.
// The list is short on purpose: each entry is a word that has to be quoted.
func misspeltOperator(text string) (operator string, misspelt bool) {
	switch strings.ToUpper(text) {
	case "ANDD", "AAND", "ANND":
		return "AND", true
	}
	switch text { // Orr and Nott are names
	case "ORR", "OOR":
		return "OR", true
	case "NOTT", "NNOT", "NOOT":
		return "NOT", true
	}
	return "", false
}
