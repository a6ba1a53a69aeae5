package train

import (
	"math"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// splitValidation separates the texts that are held out for calibration.
func splitValidation(texts []text) (training, validation []text) {
	for _, t := range texts {
		if t.held {
			validation = append(validation, t)
		} else {
			training = append(training, t)
		}
	}
	return training, validation
}

// minValidation is the number of texts that a language or domain needs to be calibrated on its own.
const minValidation = 150

// minSmall is the number of texts without which a language takes the scale of the others.
const minSmall = 40

// calibrate fits parameters to the validation texts, for each language and domain: the biases, so
// that all classes have a similar recall, and the scales, so that the mean confidence equals the
// accuracy. Languages with few validation texts rely on the median scale of the others.
func calibrate(files map[string][]byte, validation []text) error {
	head, err := sentiment.OpenHead(files["head.bin"])
	if err != nil {
		return err
	}
	m, err := sentiment.Open(files)
	if err != nil {
		return err
	}
	texts := map[string][]text{}
	for _, t := range validation {
		texts[t.language] = append(texts[t.language], t)
	}
	for task, trained := range []uint8{sentiment.TrainedSentiment, sentiment.TrainedEmotion} {
		var scales []float32
		var small []*calibrator
		for place, code := range earshot.Languages {
			if head.Trained[place]&trained == 0 {
				continue
			}
			c := newCalibrator(task, place, head)
			for _, t := range texts[strings.ToLower(code)] {
				c.add(m, t)
			}
			c.thinFilm()
			if len(c.all) < minValidation {
				small = append(small, c)
				continue
			}
			c.fit()
			scales = append(scales, head.Scale[place][sentiment.Social][task])
		}
		if len(scales) > 0 {
			slices.Sort(scales)
			for _, c := range small {
				c.fitSmall(scales[len(scales)/2])
			}
		}
	}
	files["head.bin"], err = head.Encode()
	return err
}

// englishEmotions is a compromise between the precision of emotions in comments, which are mostly
// neutral or joyful, and the recall of rare emotions in tweets.
const englishEmotions = 0.2

// harmonic is the utility whose mean is highest where the harmonic mean is: rare emotions gain the most.
func harmonic(recall float64) float64 { return -1 / (recall + 1e-3) }

// A judged text is the outcome of a validation text for a task.
type judged struct {
	classify.Outcome
	set     string
	domain  sentiment.Domain
	film    bool  // a movie line
	classes []int // classes of the set, in its first text
}

// A calibrator fits the bias and scale of a language for a task.
type calibrator struct {
	task  int
	bias  *[sentiment.Domains]sentiment.Row
	scale *[sentiment.Domains][2]float32
	all   []judged

	utility  func(recall float64) float64 // of the recall of a class; see balanceBias
	strength float32                      // share of the shift that balances the recall
}

func newCalibrator(task, place int, head *sentiment.Head) *calibrator {
	c := &calibrator{task: task, bias: &head.Bias[place], scale: &head.Scale[place], utility: math.Sqrt, strength: 1}
	if task == 1 && earshot.Languages[place] == "EN" {
		c.utility, c.strength = harmonic, englishEmotions
	}
	return c
}

// add adds a text, if it has labels for the task. The model is not calibrated yet.
func (c *calibrator) add(m *sentiment.Model, t text) {
	s, e := m.Probabilities(t.text, t.language, sentiment.Social)
	o := classify.Outcome{Scores: s[:], Correct: t.labels[:sentiments]}
	if c.task == 1 {
		o = classify.Outcome{Scores: e[:], Correct: t.labels[sentiments:]}
	}
	if slices.Contains(o.Correct, true) {
		c.all = append(c.all, judged{Outcome: o, set: t.set, domain: t.domain, film: t.source == "film"})
	}
}

// thinFilm removes most movie lines if there are enough posts. People write differently in posts, but
// the lines stand for texts that are unlike the training posts.
func (c *calibrator) thinFilm() {
	isFilm := func(j judged) bool { return j.film }
	posts := slices.DeleteFunc(slices.Clone(c.all), isFilm)
	if len(posts) < minValidation {
		return
	}
	lines := slices.DeleteFunc(slices.Clone(c.all), func(j judged) bool { return !j.film })
	c.all = append(posts, lines[:min(len(lines), len(posts)/filmShare)]...)
}

// filmShare is how many posts there are at least for each movie line.
const filmShare = 4

// fit fits the parameters of all domains.
func (c *calibrator) fit() {
	for d := range c.bias {
		texts := c.domainTexts(sentiment.Domain(d))
		classes := presentClasses(texts)
		c.set(d, c.chooseShift(texts, classes), texts, 1)
	}
}

// fitSmall fits the parameters of a language with few texts: the fewer, the less it moves the bias,
// and the closer the scale is to that of the other languages.
func (c *calibrator) fitSmall(scale float32) {
	for d := range c.scale {
		c.scale[d][c.task] = scale
	}
	classes := presentClasses(c.all)
	if len(c.all) < minSmall || len(classes) < 2 {
		return
	}
	trust := float32(len(c.all)) / float32(len(c.all)+minValidation)
	shift := c.chooseShift(c.all, classes)
	for k := range shift {
		shift[k] *= trust
	}
	for d := range c.bias {
		c.set(d, shift, c.all, trust)
	}
}

// caution lowers the scale of sentiment: new texts are a little harder than held-out texts, whose
// sources and topics were trained on. For emotion, the movie lines do that.
var caution = [2]float32{0.96, 1}

// set sets the parameters of a domain, the scale as a mean of its present value and the one that fits.
func (c *calibrator) set(d int, shift []float32, texts []judged, trust float32) {
	for k, by := range shift {
		c.bias[d][c.task*sentiments+k] += by
	}
	scale := &c.scale[d][c.task]
	fitted, _ := fitScale(texts, shift)
	fitted *= caution[c.task]
	*scale = float32(math.Pow(float64(*scale), float64(1-trust)) * math.Pow(float64(fitted), float64(trust)))
}

// domainTexts returns the texts of a domain. If they are few or lack a class, it returns all texts;
// also for Social, which is the domain of texts of unknown origin too.
func (c *calibrator) domainTexts(d sentiment.Domain) []judged {
	if d == sentiment.Social {
		return c.all
	}
	texts := slices.DeleteFunc(slices.Clone(c.all), func(j judged) bool { return j.domain != d })
	if len(texts) < minValidation || !slices.Equal(presentClasses(texts), presentClasses(c.all)) {
		return c.all
	}
	return texts
}
