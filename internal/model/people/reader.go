package people

import "strings"

// Bounds of what is read: who somebody is, stands at the beginning of a text.
const (
	longestShown = 200 // of a name or a handle
	longestBio   = 600
	longestText  = 400
)

// A Reader reads evidence off profiles. It is what answering and training share,
// and safe for parallel use.
type Reader struct {
	names   *firstNames
	classes *classes
	locals  map[uint32]local

	presence presence
}

// NewReader returns a Reader that knows the first names of a file that train makes.
func NewReader(names []byte) (*Reader, error) {
	register, err := readFirstNames(names)
	if err != nil {
		return nil, err
	}
	return &Reader{names: register, classes: newClasses(), locals: newLocals(), presence: newPresence()}, nil
}

// Read replaces e by the evidence of p.
func (r *Reader) Read(p Profile, e *Evidence) {
	handle, display := p.names()
	e.reset()
	r.readHandle(e, handle, display)
	r.readDisplay(e, p, display)
	r.readBio(e, cut(p.Bio, longestBio))
	e.ends[GroupBio] = e.n
	readText(e, cut(p.Text, longestText))
	e.ends[GroupText] = e.n
}

// reset clears what Read adds to. Features need no clearing.
func (e *Evidence) reset() {
	e.Dense = [Denses]float32{}
	e.declared = declaredNothing
	e.display, e.named = 0, false
	e.company, e.common = false, false
	e.n = 0
}

// names tells the handle of a profile from the name that it shows. A name of one
// word is shown when it is written like one; otherwise it is a handle.
func (p Profile) names() (handle, display string) {
	display = strings.TrimSpace(cut(p.Name, longestShown))
	if before, after, ok := strings.Cut(display, " ("); ok && strings.HasSuffix(after, ")") {
		handle, display = before, after[:len(after)-1]
	} else if isHandle(display) {
		handle, display = display, ""
	}
	if p.Username != "" {
		handle = cut(p.Username, longestShown)
	}
	return strings.TrimPrefix(handle, "@"), display
}

// isHandle reports whether a name is one word of the kind that only a handle is.
func isHandle(name string) bool {
	s := words{text: name}
	var w word
	if !s.next(&w) || s.at < len(name) {
		return !strings.ContainsAny(name, " \t")
	}
	return !w.capital
}

func cut(text string, most int) string { return text[:min(most, len(text))] }
