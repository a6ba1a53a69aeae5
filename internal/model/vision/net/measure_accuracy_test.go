package net_test

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"earshot/internal/model/vision"
	"earshot/internal/model/vision/net"
)

// An ImagesAccuracy is how often labeled pictures are classified right.
type ImagesAccuracy struct {
	Pictures   int     `json:"pictures"`   // with labels
	Categories int     `json:"categories"` // pictures with a category of ImageNet
	Top1       float64 `json:"top1"`       // share of these whose most probable category is right
	Top5       float64 `json:"top5"`       // or one of the five most probable ones

	Assigned  int             `json:"assigned"`  // classes that Earshot assigned to labeled pictures
	Right     int             `json:"right"`     // of these
	Precision *float64        `json:"precision"` // right of assigned; nil if none is
	Interval  *[2]float64     `json:"precisionInterval"`
	Labeled   int             `json:"labeled"` // classes in labels
	Recall    *float64        `json:"recall"`  // share of these that were assigned; nil if there are none
	Classes   []ClassAccuracy `json:"classes"`
	Each      []PictureResult `json:"each,omitempty"` // of up to maxEach pictures
}

// ClassAccuracy is the accuracy of one class.
type ClassAccuracy struct {
	Class     string      `json:"class"`
	Assigned  int         `json:"assigned"`
	Right     int         `json:"right"`
	Precision *float64    `json:"precision"` // nil if never assigned
	Interval  *[2]float64 `json:"precisionInterval"`
	Labeled   int         `json:"labeled"`
	Recall    *float64    `json:"recall"` // nil if in no label
}

// A PictureResult is what is seen in one picture.
type PictureResult struct {
	File     string             `json:"file"`
	Seen     map[string]float64 `json:"seen"`
	Missing  []string           `json:"missing"` // labeled but not seen
	Wrong    []string           `json:"wrong"`   // seen but not labeled
	Category string             `json:"category"`
}

// maxEach is the number of pictures up to which a report lists each.
const maxEach = 50

// newImagesAccuracy classifies each file once. It returns nil if none has labels.
func newImagesAccuracy(n *net.Networks, files []pictureFile) (*ImagesAccuracy, error) {
	if err := checkClasses(files); err != nil {
		return nil, err
	}
	a := &ImagesAccuracy{}
	counts := map[string]*classCount{}
	for _, f := range files {
		img, err := decodePicture(f)
		if err != nil {
			return nil, err
		}
		seen, err := n.Classify(img)
		if err != nil {
			return nil, err
		}
		if len(f.classes)+len(f.categories) == 0 {
			continue
		}
		probabilities, err := n.Probabilities(img)
		if err != nil {
			return nil, err
		}
		a.Pictures++
		best := topCategories(probabilities)
		if len(f.categories) > 0 {
			a.Categories++
			a.Top1 += share(containsAny(f.categories, best[:1]))
			a.Top5 += share(containsAny(f.categories, best))
		}
		r := compareLabels(n, f, seen, counts)
		r.Category = net.Categories()[best[0]].Name
		a.Each = append(a.Each, r)
	}
	if a.Pictures == 0 {
		return nil, nil
	}
	a.finish(counts)
	return a, nil
}

func share(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// topCategories returns the five most probable categories.
func topCategories(probabilities []float32) []int {
	order := make([]int, len(probabilities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	return order[:5]
}

func containsAny(list, any []int) bool {
	return slices.ContainsFunc(any, func(v int) bool { return slices.Contains(list, v) })
}

// A classCount counts pictures by class.
type classCount struct{ assigned, right, labeled, found int }

// compareLabels compares what is seen with labels and counts it. If a picture is labeled only with
// categories, classes that have no category are not counted, because it may show them too.
func compareLabels(n *net.Networks, f pictureFile, seen []net.Seen, counts map[string]*classCount) PictureResult {
	r := PictureResult{File: f.name, Seen: map[string]float64{}, Missing: []string{}, Wrong: []string{}}
	labels, known := map[string]bool{}, map[string]bool{} // labels that are false are optional
	for _, name := range f.optional {
		labels[name] = false
	}
	for _, name := range f.classes {
		labels[name] = true
	}
	for _, category := range f.categories {
		shown, all := n.Shown(category)
		for _, c := range shown {
			if len(f.classes) == 0 {
				labels[c.Name] = true
			}
		}
		known = names(all)
	}
	count := func(name string) *classCount {
		if counts[name] == nil {
			counts[name] = new(classCount)
		}
		return counts[name]
	}
	for _, s := range seen {
		name := s.Class.Name
		r.Seen[name] = s.Score
		if len(f.classes) == 0 && !known[name] {
			continue
		}
		count(name).assigned++
		if _, ok := labels[name]; ok {
			count(name).right++
		} else {
			r.Wrong = append(r.Wrong, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if !labels[name] {
			continue
		}
		count(name).labeled++
		if _, ok := r.Seen[name]; ok {
			count(name).found++
		} else {
			r.Missing = append(r.Missing, name)
		}
	}
	return r
}

func names(classes []vision.Class) map[string]bool {
	all := map[string]bool{}
	for _, c := range classes {
		all[c.Name] = true
	}
	return all
}

// finish computes the shares.
func (a *ImagesAccuracy) finish(counts map[string]*classCount) {
	ratio := func(part, whole int) *float64 {
		if whole == 0 {
			return nil
		}
		r := float64(part) / float64(whole)
		return &r
	}
	found := 0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		c := counts[name]
		a.Assigned, a.Right, a.Labeled, found = a.Assigned+c.assigned, a.Right+c.right, a.Labeled+c.labeled, found+c.found
		a.Classes = append(a.Classes, ClassAccuracy{
			Class: name, Assigned: c.assigned, Right: c.right, Precision: ratio(c.right, c.assigned), Interval: wilson(c.right, c.assigned),
			Labeled: c.labeled, Recall: ratio(c.found, c.labeled),
		})
	}
	a.Precision, a.Recall = ratio(a.Right, a.Assigned), ratio(found, a.Labeled)
	a.Interval = wilson(a.Right, a.Assigned)
	if a.Categories > 0 {
		a.Top1, a.Top5 = a.Top1/float64(a.Categories), a.Top5/float64(a.Categories)
	}
	if len(a.Each) > maxEach {
		a.Each = nil
	}
}

// wilson returns the 95% confidence interval of a share, or nil if there is none.
func wilson(part, whole int) *[2]float64 {
	if whole == 0 {
		return nil
	}
	const z = 1.96
	n, p := float64(whole), float64(part)/float64(whole)
	center, reach := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	bound := func(x float64) float64 { return math.Round(1e4*min(max(x/(1+z*z/n), 0), 1)) / 1e4 }
	return &[2]float64{bound(center - reach), bound(center + reach)}
}
