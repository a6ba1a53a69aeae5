package people

// Groups of hashed features. Each is a separate bag, because a word means different things in a bio
// and in a post.
const (
	GroupHandle  = iota // character n-grams of the handle, with 2 to 5 letters
	GroupSegment        // parts of the handle and words of the name
	GroupBio            // words and word pairs of the bio
	GroupText           // words and word pairs of the post
	Groups
)

// Dense features. First names in a handle have one feature for each place and length, because both
// determine how reliable a name is.
const (
	placeFirst  = iota // the entire first part
	placeLater         // an entire later part
	placePrefix        // the beginning of a part
	placeSuffix        // the end of a part
	placeInside        // the middle of a part
	places

	minName = 3 // minimum letters of a name in a handle
	lengths = 5 // number of lengths that are distinguished
)

// The other dense features, starting with those of the handle.
const (
	denseDigits   = places*lengths + iota // the handle contains digits
	denseKnown                            // the handle contains a first name
	denseCompany                          // words that occur in company names
	denseBioFirst                         // the bio starts with a name
	denseBioIntroduced
	denseBioOther
	denseFemaleRole
	denseMaleRole
	denseWife
	denseHusband
	denseLink
	denseMention
	denseNoBio
	Denses
)

// Evidence is the numerical representation of a profile. All linear models use the same features.
type Evidence struct {
	Dense [Denses]float32

	declared declared
	display  float32 // log odds that the display name belongs to a woman
	named    bool    // the display name was found
	company  bool    // the name belongs to a company or a brand
	common   bool    // the letters of the handle are no evidence: it is a common word, or the name is no first name
	features [1024]uint32
	n        int
	ends     [Groups]int
}

// declared is a gender that an author states explicitly.
type declared uint8

const (
	declaredNothing declared = iota
	declaredFemale           // she/her
	declaredMale             // he/him
	declaredNeither          // they/them
)

// hasRole reports whether the bio states a role that only a person has.
func (e *Evidence) hasRole() bool {
	return e.Dense[denseFemaleRole]+e.Dense[denseMaleRole]+e.Dense[denseWife]+e.Dense[denseHusband] > 0
}

// Group returns the hashed features of a group. Their upper bits are the best distributed.
func (e *Evidence) Group(g int) []uint32 {
	from := 0
	if g > 0 {
		from = e.ends[g-1]
	}
	return e.features[from:e.ends[g]]
}

// add adds a hashed feature. It drops features that exceed the space, which is more than any real
// profile needs.
func (e *Evidence) add(group int, hash uint32) {
	if e.n < len(e.features) {
		e.features[e.n] = scatter(hash ^ uint32(group+1)*0x85EBCA6B)
		e.n++
	}
}
