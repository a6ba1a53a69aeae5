package people

import "math"

// HashBits is the binary logarithm of the number of hashed weights per head.
const HashBits = 17

// The heads are the two models. They use the same features, so their weights are stored side by
// side.
const (
	HeadGender       = iota // a woman rather than a man
	HeadOrganization        // an organization rather than a person
	Heads
)

// heads holds one number per head: log odds or a weight.
type heads [Heads]float32

// groupScale is the weight of each group of hashed features.
var groupScale = [Groups]float32{GroupHandle: 1, GroupSegment: 0.5, GroupBio: 1, GroupText: 0.5}

// Scale returns the weight of each of n hashed features of a group. It decreases with n, so that a
// long text is not more certain than a short one.
func Scale(group, n int) float32 {
	return groupScale[group] / float32(math.Sqrt(float64(max(n, 1))))
}

// weights are the weights of the two linear models.
type weights struct {
	bias   heads
	dense  [Denses]heads
	step   heads // quantization step of the hashed weights
	hashed [][Heads]int8
}

// readWeights reads a file of weights: for each head its bias, dense weights, quantization step and
// hashed weights.
func readWeights(packed []byte) (*weights, error) {
	f := unpack(packed)
	w := &weights{hashed: make([][Heads]int8, 1<<HashBits)}
	for head := range Heads {
		w.bias[head] = f.float()
		for i := range w.dense {
			w.dense[i][head] = f.float()
		}
		w.step[head] = f.float()
		for i, b := range f.bytes(len(w.hashed)) {
			w.hashed[i][head] = int8(b)
		}
	}
	return w, f.err
}

// score returns the log odds due to the handle and due to everything else.
func (w *weights) score(e *Evidence) (handle, rest heads) {
	for i, v := range e.Dense {
		if v == 0 {
			continue
		}
		sum := &rest
		if i < denseBioFirst {
			sum = &handle
		}
		for head := range Heads {
			sum[head] += w.dense[i][head] * v
		}
	}
	for g := range Groups {
		sum := &rest
		if g < GroupBio {
			sum = &handle
		}
		w.addGroup(sum, e, g)
	}
	for head := range Heads {
		rest[head] += w.bias[head]
	}
	return handle, rest
}

// addGroup adds the hashed features of a group to sum.
func (w *weights) addGroup(sum *heads, e *Evidence, g int) {
	features := e.Group(g)
	var gender, organization int32
	for _, f := range features {
		weight := w.hashed[f>>(32-HashBits)]
		gender += int32(weight[HeadGender])
		organization += int32(weight[HeadOrganization])
	}
	scale := Scale(g, len(features))
	sum[HeadGender] += scale * w.step[HeadGender] * float32(gender)
	sum[HeadOrganization] += scale * w.step[HeadOrganization] * float32(organization)
}
