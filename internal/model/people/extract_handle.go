package people

// maxNGram is the maximum length of n-grams.
const maxNGram = 5

// Maximum lengths of names at the end and in the middle of a part.
const (
	maxSuffix = 12
	maxInside = 9
)

// readHandle extracts first names and features from a handle, or from the display name if there is
// no handle.
func (r *Extractor) readHandle(e *Evidence, handle, display string) {
	if handle == "" {
		handle = display
	}
	var s spelling
	s.read(handle)
	addNGrams(e, &s)
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

// isNewsHandle reports whether a handle of several parts names a news medium, and nobody's first name that
// is not a city: charlotte_observer, but not emma_daily.
func (r *Extractor) isNewsHandle(handle string) bool {
	var s spelling
	s.read(handle)
	news := false
	for i := range s.parts {
		hash := hashLetters(s.part(i))
		switch class := r.classes.of(hash); {
		case class&newsWord != 0:
			news = true
		case class&cityName == 0 && !r.isRare(hash):
			return false
		}
	}
	return news && s.parts > 1
}

// addNGrams adds the n-grams of a name, with 2 to maxNGram letters, including part boundaries.
func addNGrams(e *Evidence, s *spelling) {
	var text [maxNameLetters + maxParts + 1]byte
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
		for to := from; to < min(from+maxNGram, n); to++ {
			hash = (hash ^ uint32(text[to])) * hashPrime
			if to > from {
				e.add(GroupHandle, hash)
			}
		}
	}
}

func (r *Extractor) addParts(e *Evidence, s *spelling) {
	for i := range s.parts {
		hash := hashLetters(s.part(i))
		e.add(GroupSegment, hash)
		if r.classes.of(hash)&companyForm != 0 {
			e.Dense[denseCompany] = 1
		}
	}
}

// readPart looks for first names in a part of a handle: the whole part, otherwise its beginning and
// end, otherwise its middle.
func (r *Extractor) readPart(e *Evidence, part []byte, first bool) {
	if len(part) < minName {
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

// prefix finds the longest name at the beginning of a part, or a name that is the whole part.
func (r *Extractor) prefix(part []byte) (name *firstName, length int, whole bool) {
	hash := hashSeed
	for i, c := range part {
		hash = (hash ^ uint32(c)) * hashPrime
		if i+1 < minName {
			continue
		}
		found := r.names.find(hash)
		switch {
		case found == nil:
		case i+1 == len(part):
			return found, i + 1, true
		case found.isSignificant(i + 1):
			name, length = found, i+1
		}
	}
	return name, length, false
}

// suffix finds the longest name at the end of a part.
func (r *Extractor) suffix(part []byte) (name *firstName, length int) {
	for from := max(1, len(part)-maxSuffix); from+minName < len(part); from++ {
		found := r.names.find(hashLetters(part[from:]))
		if found != nil && found.isSignificant(len(part)-from) {
			return found, len(part) - from
		}
	}
	return nil, 0
}

// inside finds the longest name in the middle of a part.
func (r *Extractor) inside(part []byte) (name *firstName, length int) {
	for from := 1; from+minName+1 < len(part); from++ {
		hash := hashSeed
		for i, c := range part[from:min(from+maxInside, len(part)-1)] {
			hash = (hash ^ uint32(c)) * hashPrime
			if i < minName || i < length {
				continue
			}
			if found := r.names.find(hash); found != nil && found.isSignificant(i+1) {
				name, length = found, i+1
			}
		}
	}
	return name, length
}

// isSignificant reports whether a name within other letters is unlikely to be a coincidence.
// Shorter names must be better known.
func (n *firstName) isSignificant(length int) bool {
	return int(n.fame)+length >= 17 && (length > minName || n.fame > 14)
}

func (e *Evidence) addName(place, length int, n *firstName) {
	e.Dense[place*lengths+min(length-minName, lengths-1)] += n.value()
	e.Dense[denseKnown] = 1
}

// hashLetters is hashWord for plain letters.
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
