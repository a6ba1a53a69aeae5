package net

import (
	"slices"

	"earshot/internal/model/vision"
)

// Minimum evidence for a class. The classifier always distributes its certainty over the categories
// it knows, so it names something for any image; what it names counts only if it is nearly certain,
// or if the detector agrees. docs/models/images.md has the measurements behind these numbers.
const (
	minClassifier = 0.85 // probability of a class that the detector has not found
	minFine       = 0.90 // of a class with a parent: "dog" is right more often than a breed
	minBroad      = 0.92 // of a broad class, which sums hundreds of categories
	minDetector   = 0.50 // certainty of a detection, if the classifier does not agree
	minBoth       = 0.30 // certainty of a detection, if the classifier agrees with
	minAgreed     = 0.40 // this probability
)

// evidence is what the networks say about an image.
type evidence struct {
	categories []float32            // probabilities of the classifier
	objects    [cocoClasses]float64 // certainties of the detector
}

// decide returns the classes for which the evidence suffices.
func (n *Networks) decide(e *evidence) []Seen {
	seen := map[int64]Seen{}
	detected := make(map[int64]float64, cocoClasses)
	for i := range e.objects {
		class, certainty := n.classes[int64(i+1)], e.certainty(i)
		detected[class.ID] = certainty
		if certainty >= minDetector {
			seen[class.ID] = Seen{Class: class, Score: precision(certainty)}
		}
	}
	for i := range n.groups {
		g := &n.groups[i]
		p, certainty := g.sum(e.categories), detected[g.class.ID]
		agreed := certainty >= minBoth && p >= minAgreed
		if g.broad || !agreed && p < g.minimum() && certainty < minDetector {
			continue
		}
		score := p
		if agreed {
			score = 1 - (1-p)*(1-precision(certainty))
		}
		score = max(score, seen[g.class.ID].Score)
		seen[g.class.ID] = Seen{Class: g.class, Score: min(score, maxScore)}
	}
	n.addBroad(seen, e)
	n.addActions(seen)
	var list []Seen
	for _, s := range seen {
		list = append(list, s)
	}
	return list
}

// lookalikes are objects that the detector confuses, by index: horse, sheep and cow.
var lookalikes = []int{17, 18, 19}

// certainty returns the certainty of an object. If the detector also sees one that looks like it, in
// another place, one of both is probably wrong.
func (e *evidence) certainty(object int) float64 {
	if !slices.Contains(lookalikes, object) {
		return e.objects[object]
	}
	rival := 0.0
	for _, other := range lookalikes {
		if other != object && e.objects[other] >= minBoth {
			rival = max(rival, e.objects[other])
		}
	}
	return e.objects[object] - rival/2
}

// maxScore is the maximum score: no image is certain.
const maxScore = 0.99

// minimum returns the probability that a group needs without the detector.
func (g *group) minimum() float64 {
	if g.fine {
		return minFine
	}
	return minClassifier
}

// precision returns the estimated share of detections of a certainty that are right.
func precision(certainty float64) float64 {
	return min(0.8+(certainty-minDetector)*0.6, maxScore)
}

// addBroad adds the broad classes of which the image shows nothing more specific.
func (n *Networks) addBroad(seen map[int64]Seen, e *evidence) {
	for i := range n.groups {
		g := &n.groups[i]
		p := g.sum(e.categories)
		if !g.broad || p < minBroad || slices.ContainsFunc(g.specifics, func(id int64) bool { _, ok := seen[id]; return ok }) {
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
		if s, ok := seen[object]; ok {
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
