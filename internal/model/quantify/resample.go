package quantify

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

const (
	mostReplicates = 40   // of training documents, and as many of posts
	fewReplicates  = 10   // where a replicate takes long
	replicateWork  = 1e8  // what all may take: lessons times categories squared
	mostGroups     = 600  // of a bag that is estimated again and again
	mostResampled  = 1000 // posts of a replicate
	replicateStep  = 1e-4 // at which a replicate is good enough
	spareDocuments = 0.5  // posts that each category is given, so that none is impossible
)

// A trial is a bag that is estimated many times.
type trial struct {
	e       *Estimator
	b       bag
	rows    [][]float64 // likelihoods
	mix     []float64
	found   []float64 // the proportions
	logs    [][]float64
	touches [][]touch
	random  *rand.Rand
}

// spread returns the variance of the error of each proportion of a bag: what other
// training documents would have changed, what is left open about the posts, and what neither
// shows. The three are independent.
func (e *Estimator) spread(b bag) []float64 {
	t := e.newTrial(b)
	lessons, posts := make([]float64, e.categories), make([]float64, e.categories)
	scale, n, wider := t.scale(), e.replicates(), e.optimism()
	for range n {
		add(lessons, t.otherLessons(), 1)
		add(posts, t.otherPosts(), scale)
	}
	for k, p := range t.found {
		lessons[k] = wider*wider*(lessons[k]+posts[k])/float64(n) + e.unseen(p, t.asked()) + e.blind
	}
	return lessons
}

// unseen returns the variance that a proportion among so many posts has because of errors that
// no training document has shown. Where n documents of a category show none, one in 5(n+1)
// posts may still be one, which is less than half of what is usually expected, as most are
// shown: as many go to other categories, or come from them.
func (e *Estimator) unseen(proportion, posts float64) float64 {
	rate := 0.2 / (e.usual + 1)
	out, in := rate*proportion, rate*(1-proportion)/float64(max(e.categories-1, 1))
	return out*out + in*in + (out+in)/max(posts, 1)
}

// replicates returns how many replicates there are time for.
func (e *Estimator) replicates() int {
	work := float64(len(e.lessons) * e.categories * e.categories)
	return int(max(fewReplicates, min(mostReplicates, replicateWork/max(work, 1))))
}

func add(sums, errors []float64, scale float64) {
	for k, e := range errors {
		sums[k] += e * e * scale
	}
}

// newTrial prepares a bag. Its random numbers depend on what is in it.
func (e *Estimator) newTrial(b bag) *trial {
	h := fnv.New64a()
	for i, key := range b.keys {
		h.Write([]byte(key))
		h.Write([]byte{byte(min(b.posts[i], 255))})
	}
	t := &trial{e: e, random: rand.New(rand.NewPCG(h.Sum64(), math.Float64bits(b.total)))}
	t.b = b.thin(mostGroups, t.random)
	t.rows = e.likelihoods(Default, t.b)
	t.mix = maximise(t.rows, t.b.posts, nil, replicateStep/10)
	t.found = t.b.estimate(t.rows, t.mix, replicateStep)
	for _, shares := range t.b.shares() {
		t.logs = append(t.logs, e.logsOf(shares))
		t.touches = append(t.touches, e.kernels.near(shares, nil))
	}
	return t
}

// otherLessons estimates with training documents that are drawn again, in each category
// as many as there are, and returns how that differs.
func (t *trial) otherLessons() []float64 {
	lessons := t.redrawn()
	c := calibrate(t.e.categories, lessons, t.e.calibrated)
	rows := make([][]float64, len(t.rows))
	for i := range rows {
		rows[i] = make([]float64, t.e.categories)
		c.correct(t.logs[i], rows[i])
		blend(rows[i], lessons, t.touches[i], t.e.blend)
		raise(rows[i], t.e.caution)
	}
	return minus(t.b.estimate(rows, t.mix, replicateStep), t.found)
}

// redrawn returns the lessons of documents that are drawn again.
func (t *trial) redrawn() []lesson {
	lessons := append([]lesson(nil), t.e.lessons...)
	documents := make([][]int, t.e.categories)
	last := -1
	for i := range lessons {
		if l := &lessons[i]; l.document > last {
			last = l.document
			documents[l.category] = append(documents[l.category], last)
		}
	}
	times := make([]float64, last+1)
	for _, list := range documents {
		for range list {
			times[list[t.random.IntN(len(list))]]++
		}
	}
	weigh(t.e.categories, lessons, func(l *lesson) float64 { return times[l.document] })
	return lessons
}

// otherPosts draws posts like those of the bag, each with a category that it may have, and
// returns how the estimate for them differs from what was drawn.
func (t *trial) otherPosts() []float64 {
	again, truth := t.b, make([]float64, t.e.categories)
	again.posts = make([]float64, len(t.b.posts))
	if t.b.own == nil {
		t.draw(t.b.posts, t.drawn(), again.posts, truth)
		return minus(again.estimate(t.rows, t.mix, replicateStep), normalise(truth))
	}
	again.own = make([]float64, len(t.b.own))
	t.draw(t.b.own, t.drawn(), again.own, truth)
	t.draw(minus(slices.Clone(t.b.posts), t.b.own), int(math.Ceil(t.b.total-t.b.owned)), again.posts, make([]float64, t.e.categories))
	for i, n := range again.own {
		again.posts[i] += n
	}
	return minus(again.estimate(t.rows, t.mix, replicateStep), normalise(truth))
}

// draw adds n posts to drawn, as likely as weights say, and their categories to truth.
func (t *trial) draw(weights []float64, n int, drawn, truth []float64) {
	mix := t.possible(n)
	ends, sum := make([]float64, len(weights)), 0.0
	for i, w := range weights {
		sum += max(0, w)
		ends[i] = sum
	}
	for range n {
		i := min(sort.SearchFloat64s(ends, t.random.Float64()*sum), len(ends)-1)
		drawn[i]++
		truth[t.pick(t.rows[i], mix)]++
	}
}

// possible returns the mix, with a little for categories that were not found.
func (t *trial) possible(posts int) []float64 {
	mix := make([]float64, len(t.mix))
	for k, p := range t.mix {
		mix[k] = p*float64(posts) + spareDocuments
	}
	return normalise(mix)
}

// pick draws a category of a post.
func (t *trial) pick(row, mix []float64) int {
	at := t.random.Float64() * dot(row, mix)
	for k, v := range row {
		if at -= v * mix[k]; at < 0 {
			return k
		}
	}
	return len(row) - 1
}

// asked is how many posts the proportions are of.
func (t *trial) asked() float64 {
	if t.b.own != nil {
		return t.b.owned
	}
	return t.b.total
}

// drawn is how many posts are drawn for a replicate.
func (t *trial) drawn() int {
	return max(1, int(min(math.Round(t.asked()), mostResampled)))
}

// scale is how much less the posts leave open than the fewer ones that are drawn.
func (t *trial) scale() float64 {
	return min(1, float64(t.drawn())/t.asked())
}

func minus(a, b []float64) []float64 {
	for k := range a {
		a[k] -= b[k]
	}
	return a
}
