package people

import "strings"

// Maximum number of bytes read. Authors introduce themselves at the beginning.
const (
	maxNameBytes = 200 // of a name or a handle
	maxBioBytes  = 600
	maxTextBytes = 400
)

// An Extractor extracts evidence from profiles, for inference and training. It is safe for
// concurrent use.
type Extractor struct {
	names   *firstNames
	classes *classes
	locals  map[uint32]local

	presence presence
}

// NewExtractor returns an Extractor that uses the first names in a file written by package train.
func NewExtractor(names []byte) (*Extractor, error) {
	register, err := readFirstNames(names)
	if err != nil {
		return nil, err
	}
	return &Extractor{names: register, classes: newClasses(), locals: newLocals(), presence: newPresence()}, nil
}

// Extract replaces e with the evidence of p.
func (r *Extractor) Extract(p Profile, e *Evidence) {
	handle, display := p.names()
	e.reset()
	r.readHandle(e, handle, display)
	r.readDisplay(e, p, display)
	if display != "" && e.Dense[denseKnown] == 0 {
		e.common = true // the name of a brand, or of someone who does not state a first name
	}
	r.readBio(e, truncate(p.Bio, maxBioBytes))
	e.company = e.company || display == "" && !e.hasRole() && r.isNewsHandle(handle)
	e.ends[GroupBio] = e.n
	readText(e, truncate(p.Text, maxTextBytes))
	e.ends[GroupText] = e.n
}

// reset clears the fields that Extract adds to. Features need no clearing.
func (e *Evidence) reset() {
	e.Dense = [Denses]float32{}
	e.declared = declaredNothing
	e.display, e.named = 0, false
	e.company, e.common = false, false
	e.n = 0
}

// names returns the handle and the display name of a profile. A single word counts as a display
// name if it is written like a name, and as a handle otherwise.
func (p Profile) names() (handle, display string) {
	display = strings.TrimSpace(truncate(p.Name, maxNameBytes))
	if before, after, ok := strings.Cut(display, " ("); ok && strings.HasSuffix(after, ")") {
		handle, display = before, after[:len(after)-1]
	} else if isHandle(display) {
		handle, display = display, ""
	}
	if p.Username != "" {
		handle = truncate(p.Username, maxNameBytes)
	}
	return strings.TrimPrefix(handle, "@"), display
}

// isHandle reports whether a name is a single word that can only be a handle.
func isHandle(name string) bool {
	s := wordScanner{text: name}
	var w word
	if !s.next(&w) || s.at < len(name) {
		return !strings.ContainsAny(name, " \t")
	}
	return !w.capital
}

func truncate(text string, most int) string { return text[:min(most, len(text))] }
