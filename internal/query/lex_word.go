package query

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// word returns the item up to the next space or special character: a word, an operator or a field
// name.
func (l *lexer) word() (item, error) {
	start, end := l.pos, l.pos
	for end < len(l.src) && !l.endsWord(end) {
		end++
	}
	text := string(l.src[start:end])
	switch text {
	case "AND":
		return l.takeText(itemAnd, text), nil
	case "OR":
		return l.takeText(itemOr, text), nil
	case "NOT":
		return l.takeText(itemNot, text), nil
	}
	if name, _, _ := strings.Cut(text, "/"); name == "NEAR" || name == "ONEAR" {
		return l.near(text)
	}
	if err := l.checkWord(start, end, text); err != nil {
		return item{}, err
	}
	if strings.Contains(text, ":") {
		return l.fieldOrWord(start, end)
	}
	l.pos = end
	return item{kind: itemWord, position: start + 1, text: text}, nil
}

// checkWord rejects operators of other tools and likely typos, because as plain words they would
// silently select other posts.
func (l *lexer) checkWord(start, end int, text string) error {
	if operator, ok := misspelledOperator(text); ok {
		return errorAt(start+1, "%s looks like a misspelt %s", quoted(text), operator)
	}
	if use, ok := foreignOperators[text]; ok {
		return errorAt(start+1, "%s is not an operator; use %s", quoted(text), use)
	}
	if end > start+1 && strings.ContainsRune("!–—−", l.src[start]) && isWordRune(l.src[start+1]) {
		return errorAt(start+1, "%s does not exclude what follows; use NOT or -", quoted(string(l.src[start])))
	}
	switch {
	case strings.EqualFold(text, "and"), strings.EqualFold(text, "or"), strings.EqualFold(text, "not"):
		l.warn(start+1, "%s is treated as a word; the operator is %s", quoted(text), strings.ToUpper(text))
	case nearForm(text):
		operator := strings.TrimSuffix(strings.ToUpper(text), "F")
		l.warn(start+1, "%s is treated as words; the operator is %s", quoted(text), operator)
	}
	return nil
}

// foreignOperators maps operators of other tools to ours.
var foreignOperators = map[string]string{
	"&&": "AND", "&": "AND", "+": "AND", "||": "OR", "|": "OR", "!": "NOT", "-": "NOT, or - without a space after it",
}

// misspelledOperator returns the operator that a word most likely misspells. The list is short on
// purpose: people must quote each of these words to search for it.
func misspelledOperator(text string) (operator string, ok bool) {
	for _, slip := range [...]string{"ANDD", "AAND", "ANND"} {
		if strings.EqualFold(text, slip) {
			return "AND", true
		}
	}
	switch text { // Orr and Nott are names
	case "ORR", "OOR":
		return "OR", true
	case "NOTT", "NNOT", "NOOT":
		return "NOT", true
	}
	return "", false
}

// near returns the operator that text spells: NEAR/n, NEAR/nf or ONEAR/n.
func (l *lexer) near(text string) (item, error) {
	position := l.pos + 1
	name, number, _ := strings.Cut(text, "/")
	before := strings.HasSuffix(number, "f") && name == "NEAR"
	distance, ok := parseDistance(strings.TrimSuffix(number, "f"))
	if distance > maxDistance {
		return item{}, errDistance(position+len(name)+1, number)
	}
	if !ok || strings.HasSuffix(number, "f") && !before {
		return item{}, errorAt(position, "%s is incomplete; add the maximum number of words between, for example %s/5", quoted(text), name)
	}
	i := l.take(itemNear, len([]rune(text)))
	i.distance, i.ordered = distance, before || name == "ONEAR"
	return i, nil
}

// nearForm reports whether text is a NEAR operator in the wrong case.
func nearForm(text string) bool {
	name, number, _ := strings.Cut(text, "/")
	if !strings.EqualFold(name, "NEAR") && !strings.EqualFold(name, "ONEAR") {
		return false
	}
	_, ok := parseDistance(strings.TrimRight(number, "fF"))
	return ok
}

// within returns the ~n that starts at the current position.
func (l *lexer) within() (item, error) {
	end := l.pos + 1
	for end < len(l.src) && !l.endsWord(end) {
		end++
	}
	distance, ok := parseDistance(string(l.src[l.pos+1 : end]))
	if !ok {
		return item{}, errorAt(l.pos+1, "expected the maximum number of other words after ~, for example ~5")
	}
	if distance > maxDistance {
		return item{}, errDistance(l.pos+2, string(l.src[l.pos+1:end]))
	}
	i := l.take(itemWithin, end-l.pos)
	i.distance = distance
	return i, nil
}

// maxDistance is longer than any text, so a larger distance is a mistake.
const maxDistance = 1_000_000

// parseDistance parses a number of words. The result may exceed maxDistance.
func parseDistance(text string) (int, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		n = math.MaxInt // too many digits for an int
	}
	return n, true
}

func errDistance(position int, number string) error {
	return errorAt(position, "the distance %s is too large; the maximum is 1,000,000", quoted(number))
}

// fieldOrWord returns a field name if there is one, otherwise a word. After anything but a field
// name, a colon is ordinary punctuation.
func (l *lexer) fieldOrWord(start, end int) (item, error) {
	colon := start + slices.Index(l.src[start:end], ':')
	name := string(l.src[start:colon])
	switch {
	case colon == start:
		return item{}, errorAt(start+1, "a word cannot start with a colon; write title:word for a field or {:)} for exact text")
	case isField(name) && !l.nonSpaceAt(colon+1):
		return l.spacedField(name)
	case isField(name):
		i := l.take(itemField, len([]rune(name)))
		l.pos++
		return i, nil
	case colon+1 == end && l.nonSpaceAt(end) && (l.src[end] == '(' || l.quoteAt(end) > 0):
		l.warn(start+1, "%s is not a field; it is treated as a word", quoted(name))
		i := l.take(itemWord, len([]rune(name)))
		l.pos++
		return i, nil
	case colon+1 < end && l.src[colon+1] != '/' && unicode.IsLetter(l.src[start]):
		l.warn(start+1, "%s is not a field; %s is treated as words", quoted(name), quoted(string(l.src[start:end])))
	}
	return l.take(itemWord, end-start), nil
}

// spacedField returns a field name with spaces between its colon and its value.
func (l *lexer) spacedField(name string) (item, error) {
	i := l.take(itemField, len([]rune(name)))
	l.pos++
	i.spaced = l.pos
	if err := l.skipSpace(); err != nil {
		return item{}, err
	}
	end := l.pos
	for end < len(l.src) && !l.endsWord(end) {
		end++
	}
	operator, _, _ := strings.Cut(string(l.src[l.pos:end]), "/")
	if !l.nonSpaceAt(l.pos) || l.src[l.pos] == ')' || slices.Contains([]string{"AND", "OR", "NOT", "NEAR", "ONEAR"}, operator) {
		return item{}, errorAt(i.spaced, "%s has no value; write the value directly after the colon", quoted(name+":"))
	}
	return i, nil
}

func isField(name string) bool {
	_, ok := findField(name)
	return ok || strings.EqualFold(name, "raw")
}

// fieldWord returns the word after a field name. A colon has no special meaning in it.
func (l *lexer) fieldWord() item {
	end := l.pos
	for end < len(l.src) && !l.endsWord(end) {
		end++
	}
	i := l.take(itemWord, end-l.pos)
	i.adjacent = true
	return i
}

// numberRange returns the [a TO b] that starts at the current position, if there is one.
func (l *lexer) numberRange() (item, bool) {
	const maxLength = 100 // far more than two numbers need
	length := slices.Index(l.src[l.pos:min(l.pos+maxLength, len(l.src))], ']')
	if length < 0 {
		return item{}, false
	}
	bounds := strings.Fields(string(l.src[l.pos+1 : l.pos+length]))
	if len(bounds) != 3 || bounds[1] != "TO" {
		return item{}, false
	}
	from, fromOK := parseBound(bounds[0], -1)
	to, toOK := parseBound(bounds[2], +1)
	if !fromOK || !toOK {
		return item{}, false
	}
	i := l.take(itemRange, length+1)
	i.from, i.to = from, to
	return i, true
}

func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.+-") != "" {
		return 0, false // rejects 0x10 and NaN
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// parseBound parses a bound of a range. * is infinity with the given sign.
func parseBound(text string, sign int) (float64, bool) {
	if text == "*" {
		return math.Inf(sign), true
	}
	return parseNumber(text)
}

// appendNumber appends n as parseBound reads it.
func appendNumber(b []byte, n float64) []byte {
	if math.IsInf(n, 0) {
		return append(b, '*')
	}
	return strconv.AppendFloat(b, n, 'f', -1, 64)
}
