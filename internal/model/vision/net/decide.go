package net

import (
	"maps"
	"slices"

	"earshot/internal/model/vision"
)

// minimums are the evidence that a class needs. The classifier always distributes its certainty over
// the categories it knows, so it names something for any image; what it names counts only if it is
// nearly certain, or if the detector agrees. docs/models/images.md has the measurements behind these
// numbers.
type minimums struct {
	classifier float64 // probability of a class that the detector has not found
	fine       float64 // of a class with a parent: "dog" is right more often than a breed
	broad      float64 // of a broad class, which sums hundreds of categories
	silent     float64 // of an object that the detector knows and does not see at all
	detector   float64 // certainty of a detection, if the classifier does not agree
	both       float64 // certainty of a detection, if the classifier agrees with
	agreed     float64 // this probability
}

var (
	usual  = minimums{classifier: 0.85, fine: 0.90, broad: 0.92, silent: 0.95, detector: minDetector, both: 0.30, agreed: 0.40}
	strict = minimums{classifier: 0.95, fine: 0.97, broad: 0.97, silent: 0.98, detector: 0.70, both: 0.50, agreed: 0.60}
)

const (
	minDetector     = 0.50 // certainty of a detection in a photograph
	minContradicted = 0.75 // certainty, if the classifier sees something else of the same kind
	maxSilent       = 0.10 // certainty up to which the detector does not see an object
	maxPage         = 0.50 // probability of a page with text, in which pictures are illustrations
)

// doubtful are the objects that the detector sees in shapes and textures, such as frisbees in circles,
// apples in shaded spheres and refrigerators in stripes, with the certainty that they need: about 0.1
// more than in any such image.
var doubtful = map[string]float64{
	"airplane": 0.60, "apple": 0.72, "bed": 0.62, "boat": 0.60, "cake": 0.60, "clock": 0.68, "elephant": 0.58,
	"frisbee": 0.73, "orange": 0.72, "refrigerator": 0.62, "sports ball": 0.65, "stop sign": 0.76, "teddy bear": 0.73,
	"umbrella": 0.70,
}

// lookalikes are objects that the detector confuses.
var lookalikes = []string{"horse", "sheep", "cow"}

// minScore is the score that a class needs, unless it is a person. On held-out photographs, 79% of the
// classes with a lower score are right, and 99% of the others.
const minScore = 0.90

// evidence is what the networks say about an image.
type evidence struct {
	medium     medium
	categories []float32            // probabilities of the classifier; nil for a graphic
	objects    [cocoClasses]float64 // certainties of the detector
}

// decide returns the classes for which the evidence suffices.
func (n *Networks) decide(e *evidence) []Seen {
	if e.medium == graphic || e.page() >= maxPage {
		return nil
	}
	seen := map[int64]Seen{}
	for i := range e.objects {
		class, certainty := n.classes[int64(i+1)], n.certainty(e, i)
		if certainty >= n.minimums(e, class).detector {
			seen[class.ID] = Seen{Class: class, Score: precision(certainty)}
		}
	}
	for i := range n.groups {
		if g := &n.groups[i]; !g.broad {
			n.addGroup(seen, e, g)
		}
	}
	maps.DeleteFunc(seen, func(id int64, s Seen) bool { return id != personID && s.Score < minScore })
	n.addBroad(seen, e)
	n.addActions(seen)
	var list []Seen
	for _, s := range seen {
		list = append(list, s)
	}
	return list
}

// addGroup adds the class of a group if the classifier is certain of it or agrees with the detector.
func (n *Networks) addGroup(seen map[int64]Seen, e *evidence, g *group) {
	p, certainty, least := g.sum(e.categories), 0.0, n.minimums(e, g.class)
	alone := least.classifier
	if g.fine {
		alone = least.fine
	}
	if g.class.ID <= cocoClasses {
		if certainty = n.certainty(e, int(g.class.ID-1)); certainty <= maxSilent {
			alone = max(alone, least.silent)
		}
	}
	agreed := certainty >= least.both && p >= least.agreed
	if _, detected := seen[g.class.ID]; !agreed && p < alone && !detected {
		return
	}
	score := p
	if agreed {
		score = 1 - (1-p)*(1-precision(certainty))
	}
	score = max(score, seen[g.class.ID].Score)
	seen[g.class.ID] = Seen{Class: g.class, Score: min(score, maxScore)}
}

// minimums returns the evidence that a class needs in an image.
func (n *Networks) minimums(e *evidence, class vision.Class) minimums {
	m := usual
	if e.medium == unclear {
		m = strict
	}
	if class.Type != vision.Object {
		return m
	}
	if least, ok := doubtful[class.Name]; ok {
		m.raise(minimums{detector: least, both: 0.55, agreed: 0.60})
	}
	if slices.Contains(lookalikes, class.Name) {
		m.raise(minimums{detector: 0.75, both: 0.40, agreed: 0.60})
	}
	if n.isContradicted(e, class) {
		m.detector = max(m.detector, minContradicted)
	}
	return m
}

// raise raises the minimums of the detector to those of an object, where these are higher.
func (m *minimums) raise(to minimums) {
	m.detector, m.both, m.agreed = max(m.detector, to.detector), max(m.both, to.both), max(m.agreed, to.agreed)
}

// pageCategories are the categories of pages with text: a web site, a crossword puzzle and a menu.
var pageCategories = group{categories: []int{916, 918, 922}}

// page returns the probability that the image is a page with text.
func (e *evidence) page() float64 { return pageCategories.sum(e.categories) }

// isContradicted reports whether the classifier is certain that an image shows an animal, a vehicle or
// food, but not one of the given class, which it knows.
func (n *Networks) isContradicted(e *evidence, class vision.Class) bool {
	const isCertain, isOther = 0.9, 0.03
	at := slices.IndexFunc(n.groups, func(g group) bool { return g.class.ID == class.ID })
	return at >= 0 && n.groups[at].sum(e.categories) < isOther && slices.ContainsFunc(n.groups, func(g group) bool {
		return g.broad && slices.Contains(g.specifics, class.ID) && g.sum(e.categories) >= isCertain
	})
}

// certainty returns the certainty of an object. If the detector also sees one that looks like it, in
// another place, one of both is probably wrong.
func (n *Networks) certainty(e *evidence, object int) float64 {
	if !slices.Contains(lookalikes, n.classes[int64(object+1)].Name) {
		return e.objects[object]
	}
	rival := 0.0
	for i, certainty := range e.objects {
		if i != object && certainty >= usual.both && slices.Contains(lookalikes, n.classes[int64(i+1)].Name) {
			rival = max(rival, certainty)
		}
	}
	return e.objects[object] - rival/2
}

// maxScore is the maximum score: no image is certain.
const maxScore = 0.99

// precision returns the estimated share of detections of a certainty that are right.
func precision(certainty float64) float64 {
	return min(0.8+(certainty-minDetector)*0.6, maxScore)
}

// addBroad adds the broad classes of which the image shows nothing more specific.
func (n *Networks) addBroad(seen map[int64]Seen, e *evidence) {
	for i := range n.groups {
		g := &n.groups[i]
		p := g.sum(e.categories)
		if !g.broad || p < n.minimums(e, g.class).broad || slices.ContainsFunc(g.specifics, func(id int64) bool { _, ok := seen[id]; return ok }) {
			continue
		}
		if !n.showsPart(seen, g) {
			seen[g.class.ID] = Seen{Class: g.class, Score: min(p, maxScore)}
		}
	}
}

// showsPart reports whether an image shows a class that has categories of a broad class.
func (n *Networks) showsPart(seen map[int64]Seen, broad *group) bool {
	for i := range n.groups {
		g := &n.groups[i]
		if _, ok := seen[g.class.ID]; ok && !g.broad && slices.Contains(broad.categories, g.categories[0]) {
			return true
		}
	}
	return false
}

// An activity is an action of a person with an object.
type activity struct {
	object, action string
}

// activities are the actions that follow from a person and an object in one image, because people
// are rarely shown with the object otherwise.
var activities = []activity{
	{"skis", "skiing (not slalom or crosscountry)"},
	{"snowboard", "snowboarding"},
	{"skateboard", "skateboarding"},
	{"surfboard", "surfing water"},
	{"tennis racket", "playing tennis"},
}

// personID is the ID of the class of people.
const personID = 1

// addActions adds the actions that follow from the objects. The score is the product of those of the
// person and the object.
func (n *Networks) addActions(seen map[int64]Seen) {
	person, ok := seen[personID]
	if !ok {
		return
	}
	for object, action := range n.actions {
		if s, ok := seen[object]; ok && person.Score*s.Score >= minScore {
			seen[action.ID] = Seen{Class: action, Score: person.Score * s.Score}
		}
	}
}

// findActions returns the actions of activities by the IDs of their objects, or false if a name is
// unknown.
func findActions(classes []vision.Class) (map[int64]vision.Class, bool) {
	find := func(kind vision.Type, name string) int {
		return slices.IndexFunc(classes, func(c vision.Class) bool { return c.Type == kind && c.Name == name })
	}
	found := map[int64]vision.Class{}
	for _, a := range activities {
		object, action := find(vision.Object, a.object), find(vision.Action, a.action)
		if object < 0 || action < 0 {
			return nil, false
		}
		found[classes[object].ID] = classes[action]
	}
	return found, true
}
