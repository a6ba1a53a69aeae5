package people

import "strings"

// Surname returns the surname in a displayed name, in plain lowercase letters, if the census lists
// it. Otherwise, and for a single word, it returns "". It is meant for counting people for
// [Model.EthnicityOf] and implies nothing about an individual.
func (m *Model) Surname(name string) string {
	table, err := m.surnames()
	if err != nil {
		return ""
	}
	last := m.lastName(name)
	if surname := table.lookup(last); surname != "" {
		return surname
	}
	first, _, double := strings.Cut(last, "-")
	if !double {
		return ""
	}
	return table.lookup(first)
}

// lookup returns the surname that is spelled like a word, or "".
func (s *surnames) lookup(word string) string {
	var buffer [maxNameLetters]byte
	i, ok := s.find(string(plainLetters(buffer[:0], word)))
	if !ok {
		return ""
	}
	return s.name(i)
}

// lastName returns the part of a name where a surname is expected.
func (m *Model) lastName(name string) string {
	handle, display := Profile{Name: name}.names()
	switch {
	case display == "":
		return m.lastPart(handle)
	case m.ofCompany(display):
		return ""
	case !strings.Contains(display, " "):
		return m.lastPart(display)
	}
	return lastWord(display)
}

// lastWord returns the surname in a display name: the last word that is not a suffix, or the first
// word if a comma follows it.
func lastWord(display string) string {
	if surname, given, ok := strings.Cut(display, ", "); ok && !strings.Contains(surname, " ") && given != "" {
		return surname
	}
	fields := strings.Fields(display)
	for len(fields) > 2 && isSuffix(fields[len(fields)-1]) {
		fields = fields[:len(fields)-1]
	}
	if len(fields) < 2 || len(fields) > 5 {
		return ""
	}
	return fields[len(fields)-1]
}

func isSuffix(word string) bool {
	switch strings.ToLower(strings.Trim(word, ".,")) {
	case "jr", "sr", "ii", "iii", "iv", "phd", "md", "esq", "mba", "cpa":
		return true
	}
	return false
}

// lastPart returns the last part of a handle that begins with a first name, or "".
func (m *Model) lastPart(handle string) string {
	var s spelling
	s.read(handle)
	if s.parts < 2 || m.names.find(hashLetters(s.part(0))) == nil {
		return ""
	}
	return string(s.part(s.parts - 1))
}

// ofCompany reports whether a display name contains a word that is typical of companies.
func (m *Model) ofCompany(display string) bool {
	s := wordScanner{text: display}
	for w := (word{}); s.next(&w); {
		if w.kind == letters && m.classes.of(w.hash)&companyForm != 0 {
			return true
		}
	}
	return false
}

// plainLetters appends the letters of a word that fold to plain letters.
func plainLetters(b []byte, word string) []byte {
	for _, r := range word {
		if f := fold(r); 'a' <= f && f <= 'z' && len(b) < maxNameLetters {
			b = append(b, byte(f))
		}
	}
	return b
}
