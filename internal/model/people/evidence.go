package people

// Groups of hashed features. Each is a bag of its own: the same word means one
// thing in a bio and another in a post.
const (
	GroupHandle  = iota // letters of the handle, two to five in a row
	GroupSegment        // parts of the handle and words of the name
	GroupBio            // words of the bio and pairs of them
	GroupText           // words of the post and pairs of them
	Groups
)

// Dense features come one by one. First names in a handle have one for each place
// and length: how far a name can be trusted depends on both.
const (
	placeFirst  = iota // all of the first part
	placeLater         // all of another part
	placePrefix        // the beginning of a part
	placeSuffix        // the end of a part
	placeInside        // in the middle of one
	places

	minName = 3 // letters of a name in a handle
	lengths = 5 // lengths that are told apart
)

// The other dense features, those of the handle first.
const (
	denseDigits   = places*lengths + iota // some are in the handle
	denseKnown                            // some first name is in it
	denseCompany                          // words that companies have in their names
	denseBioFirst                         // a bio that begins with a name
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

// Evidence is what a profile shows, in numbers. Its features are the same for all
// linear models.
type Evidence struct {
	Dense [Denses]float32

	declared declared
	display  float32 // log odds that the display name is a woman's
	named    bool    // the display name was found
	company  bool    // the name is that of a company or a brand
	common   bool    // the handle is a common word: that some people are called so says nothing
	features [1024]uint32
	n        int
	ends     [Groups]int
}

// declared is a gender that an author states in so many words.
type declared uint8

const (
	declaredNothing declared = iota
	declaredFemale           // she/her
	declaredMale             // he/him
	declaredNeither          // they/them
)

// Group returns the hashed features of a group. Their upper bits are the best.
func (e *Evidence) Group(g int) []uint32 {
	from := 0
	if g > 0 {
		from = e.ends[g-1]
	}
	return e.features[from:e.ends[g]]
}

// add adds a hashed feature. A profile with more of them than any real one has is
// read as far as there is room.
func (e *Evidence) add(group int, hash uint32) {
	if e.n < len(e.features) {
		e.features[e.n] = scatter(hash ^ uint32(group+1)*0x85EBCA6B)
		e.n++
	}
}
