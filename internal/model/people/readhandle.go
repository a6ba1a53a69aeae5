package people

// longestGram is how many letters in a row make a feature, at most.
const longestGram = 5

// How long names within other letters are, at most: at their end, and inside.
const (
	longestSuffix = 12
	longestInside = 9
)

// readHandle reads first names and features off the letters of a handle, and of
// the display name where there is no handle.
func (r *Reader) readHandle(e *Evidence, handle, display string) {
	if handle == "" {
		handle = display
	}
	var s spelling
	s.read(handle)
	addGrams(e, &s)
	e.ends[GroupHandle] = e.n
	r.addParts(e, &s)
	for i := range s.parts {
		r.readPart(e, s.part(i), i == 0)
	}
	whole := r.classes.of(hashLetters(s.start(s.parts)))
	e.common = s.parts == 1 && whole&commonWord != 0
	e.company = display == "" && whole&brandName != 0
	if hasDigit(handle) {
		e.Dense[denseDigits] = 1
	}
	if display != "" && display != handle {
		s.read(display)
		r.addParts(e, &s)
	}
	e.ends[GroupSegment] = e.n
}

// addGrams adds the letters of a name, two to longestGram in a row. Borders of
// parts count as letters.
func addGrams(e *Evidence, s *spelling) {
	var text [longestName + longestParts + 1]byte
	n := 0
	for i := range s.parts {
		text[n] = '_'
		n++
		n += copy(text[n:], s.part(i))
	}
	text[n] = '_'
	n++
	text[0], text[n-1] = '^', '$'
	for from := range n {
		hash := hashSeed
		for to := from; to < min(from+longestGram, n); to++ {
			hash = (hash ^ uint32(text[to])) * hashPrime
			if to > from {
				e.add(GroupHandle, hash)
			}
		}
	}
}

func (r *Reader) addParts(e *Evidence, s *spelling) {
	for i := range s.parts {
		hash := hashLetters(s.part(i))
		e.add(GroupSegment, hash)
		if r.classes.of(hash)&companyForm != 0 {
			e.Dense[denseCompany] = 1
		}
	}
}

// readPart looks for first names in a part of a handle: the whole of it, else its
// beginning and its end, else anywhere.
func (r *Reader) readPart(e *Evidence, part []byte, first bool) {
	if len(part) < shortest {
		return
	}
	prefix, length, whole := r.prefix(part)
	switch {
	case whole && first:
		e.addName(placeFirst, length, prefix)
		return
	case whole:
		e.addName(placeLater, length, prefix)
		return
	}
	if prefix != nil {
		e.addName(placePrefix, length, prefix)
	}
	suffix, length := r.suffix(part)
	if suffix != nil {
		e.addName(placeSuffix, length, suffix)
	}
	if prefix == nil && suffix == nil {
		if name, length := r.inside(part); name != nil {
			e.addName(placeInside, length, name)
		}
	}
}

// prefix finds the longest name that a part begins with, or the whole of it.
func (r *Reader) prefix(part []byte) (name *firstName, length int, whole bool) {
	hash := hashSeed
	for i, c := range part {
		hash = (hash ^ uint32(c)) * hashPrime
		if i+1 < shortest {
			continue
		}
		found := r.names.find(hash)
		switch {
		case found == nil:
		case i+1 == len(part):
			return found, i + 1, true
		case found.standsOut(i + 1):
			name, length = found, i+1
		}
	}
	return name, length, false
}

// suffix finds the longest name that a part ends with.
func (r *Reader) suffix(part []byte) (name *firstName, length int) {
	for from := max(1, len(part)-longestSuffix); from+shortest < len(part); from++ {
		found := r.names.find(hashLetters(part[from:]))
		if found != nil && found.standsOut(len(part)-from) {
			return found, len(part) - from
		}
	}
	return nil, 0
}

// inside finds the longest name in the middle of a part.
func (r *Reader) inside(part []byte) (name *firstName, length int) {
	for from := 1; from+shortest+1 < len(part); from++ {
		hash := hashSeed
		for i, c := range part[from:min(from+longestInside, len(part)-1)] {
			hash = (hash ^ uint32(c)) * hashPrime
			if i < shortest || i < length {
				continue
			}
			if found := r.names.find(hash); found != nil && found.standsOut(i+1) {
				name, length = found, i+1
			}
		}
	}
	return name, length
}

// standsOut reports whether a name of a length is found within other letters for a
// reason: the shorter it is, the better known it has to be.
func (n *firstName) standsOut(length int) bool {
	return int(n.fame)+length >= 17 && (length > shortest || n.fame > 14)
}

func (e *Evidence) addName(place, length int, n *firstName) {
	e.Dense[place*lengths+min(length-shortest, lengths-1)] += n.value()
	e.Dense[denseKnown] = 1
}

// hashLetters is hashWord of plain letters.
func hashLetters(letters []byte) uint32 {
	hash := hashSeed
	for _, c := range letters {
		hash = (hash ^ uint32(c)) * hashPrime
	}
	return hash
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			return true
		}
	}
	return false
}
