package insight

import (
	"fmt"
	"strings"
)

// namedStories is the number of stories that a sentence names.
const namedStories = 3

// Sentence returns what is new in the posts, in one sentence, or "" if there are not more than
// expected.
func (e *Explanation) Sentence() string {
	percent := func(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }
	switch {
	case e.Change != ChangeMore:
		return ""
	case e.Cause == CauseSingle:
		return fmt.Sprintf("%s of the additional posts are about %s.", percent(min(1, e.Stories[0].Share)), e.Stories[0].Name())
	case e.Cause == CauseSeveral:
		var names []string
		for _, story := range e.Stories[:min(len(e.Stories), namedStories)] {
			names = append(names, story.Name())
		}
		return fmt.Sprintf("%s of the additional posts are about several topics: %s.", percent(e.Explained), strings.Join(names, "; "))
	}
	return "The additional posts have no single cause."
}
