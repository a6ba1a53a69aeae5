package prevalence_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/model/prevalence"
	"earshot/internal/model/secondlook"
	"earshot/internal/model/sentiment"
	"earshot/internal/test/testenv"
)

// TestMeasure measures the error and the coverage of the estimated shares of sentiments and emotions on
// samples of the labeled dev texts. docs/decisions/0068-shares.md quotes its figures.
func TestMeasure(t *testing.T) {
	testenv.SkipUnlessLong(t)
	const data = "../../../../shared/data"
	if _, err := os.Stat(data); err != nil {
		testenv.SkipMissing(t, err)
	}
	m, err := sentiment.New()
	if err != nil {
		t.Fatal(err)
	}
	var network *secondlook.Model
	if *look {
		if network, err = secondlook.New(); err != nil {
			t.Fatal(err)
		}
	}
	var result SharesResult
	for _, task := range []string{"sentiment", "emotion"} {
		files, err := filepath.Glob(filepath.Join(data, task, "*_dev.tsv.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("got %d dev files of %s, %v", len(files), task, err)
		}
		for _, file := range files {
			if *look && !slices.Contains(looked, filepath.Base(file)) {
				continue
			}
			texts, err := readFelt(m, network, file, task == "emotion", domainOf)
			if err != nil {
				t.Fatal(err)
			}
			for _, language := range earshot.Languages {
				language = strings.ToLower(language)
				if list := texts[language]; len(list) >= minSharesTexts {
					of := SharesOf{File: strings.TrimSuffix(filepath.Base(file), ".tsv.gz"), Language: language, Texts: len(list)}
					of.measure(list, task == "emotion", *bags)
					of.measureLabels(list, task == "emotion", *bags)
					result.Sets = append(result.Sets, of)
				}
			}
		}
	}
	testenv.LogJSON(t, result)
}

// look measures the second look.
var look = flag.Bool("look", false, "measure English texts after a second look")

// looked lists the files with English texts.
var looked = []string{
	"tweeteval_en_dev.tsv.gz", "newsmtsc_dev.tsv.gz", "more_en_dev.tsv.gz", "umsab_dev.tsv.gz",
	"goemotions_dev.tsv.gz", "tweeteval_emotion_dev.tsv.gz",
}

var bags = flag.Int("bags", 30, "`number` of samples of texts to estimate, per set of texts and kind of mix")

// A SharesResult is the accuracy of the estimated shares of sentiments and emotions.
type SharesResult struct {
	Sets []SharesOf `json:"sets"`
}

// SharesOf is the accuracy on the dev texts of one file and language. Errors are mean absolute ones.
type SharesOf struct {
	File     string          `json:"file"`
	Language string          `json:"language"`
	Texts    int             `json:"texts"`
	Natural  SharesAccuracy  `json:"natural"` // with the set's own mix of classes
	Drawn    SharesAccuracy  `json:"drawn"`   // with mixes drawn evenly
	Labels   []LabelAccuracy `json:"labels"`
}

// A SharesAccuracy compares estimates with counting and with the mean score.
type SharesAccuracy struct {
	Estimate float64 `json:"estimate"`
	Counting float64 `json:"counting"`
	Mean     float64 `json:"meanScore"`
	Coverage float64 `json:"intervalCoverage"`
	Width    float64 `json:"intervalWidth"`
}

// A feltText is a labeled text with its scores.
type feltText struct {
	group  prevalence.Group
	scores []float64
	label  int
}

// lookedModels is the version of the models of posts after a second look.
const lookedModels = 8

// minSharesTexts is the number of texts that a set needs.
const minSharesTexts = 150

// readFelt reads a file and scores its texts, by language. domain returns the domain of a text, given the name
// of the file and its ID. Of several labels, the first counts. If network is not nil, it has a second look at
// English texts, and others are skipped.
func readFelt(m *sentiment.Model, network *secondlook.Model, file string, emotion bool, domain func(file, id string) sentiment.Domain) (map[string][]feltText, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	columns := strings.Split(lines.Text(), "\t")
	texts := map[string][]feltText{}
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		get := func(column string) string {
			if i := slices.Index(columns, column); i >= 0 && i < len(cells) {
				return cells[i]
			}
			return ""
		}
		t := feltText{group: prevalence.Group{Language: cmp.Or(get("language"), "en"), Posts: 1}}
		t.group.Domain = domain(filepath.Base(file), get("id"))
		var felt earshot.Sentiment
		var shown earshot.Emotion
		if network == nil {
			felt, shown = m.Infer(get("text"), t.group.Language, t.group.Domain)
		} else if slices.Contains(secondlook.Languages, t.group.Language) {
			if felt, shown, err = network.Infer(get("text"), t.group.Domain); err != nil {
				return nil, err
			}
			t.group.Models = lookedModels
		} else {
			continue
		}
		scores, label := []earshot.Percent(nil), ""
		if emotion {
			shown = shown.Inferred()
			scores, t.group.Cell = shown[:], shown.Cell()
			label, _, _ = strings.Cut(get("ekman"), ",")
			t.label = slices.IndexFunc(earshot.BasicEmotions, func(name string) bool { return strings.EqualFold(name, label) })
		} else {
			felt = felt.Inferred()
			scores, t.group.Cell = felt[:], felt.Cell()
			label = get("label")
			t.label = slices.IndexFunc(earshot.BasicCategories, func(name string) bool { return strings.EqualFold(name, "Basic "+label) })
		}
		if t.label < 0 || label == "" {
			continue
		}
		for _, score := range scores {
			t.scores = append(t.scores, float64(score)/100)
		}
		texts[t.group.Language] = append(texts[t.group.Language], t)
	}
	return texts, lines.Err()
}

// domainOf returns the domain of a text. Some files are a set of their own; in the others, ids begin with
// the name of the set.
func domainOf(file, id string) sentiment.Domain {
	if name, _, _ := strings.Cut(file, "_"); sentiment.DomainOfDataset(name) != sentiment.Social {
		return sentiment.DomainOfDataset(name)
	}
	name, _, _ := strings.Cut(id, "-")
	return sentiment.DomainOfDataset(name)
}

// measure draws samples of 100, 500 and 2,000 texts and estimates their shares.
func (of *SharesOf) measure(texts []feltText, emotion bool, bags int) {
	estimator, classes := prevalence.Sentiments(), len(earshot.BasicCategories)
	if emotion {
		estimator, classes = prevalence.Emotions(), len(earshot.BasicEmotions)
	}
	byClass := make([][]feltText, classes)
	for _, t := range texts {
		byClass[t.label] = append(byClass[t.label], t)
	}
	random := rand.New(rand.NewPCG(1, uint64(len(texts))))
	for i := range 2 * bags {
		into, mix := &of.Natural, make([]float64, classes)
		for k, list := range byClass {
			mix[k] = float64(len(list))
		}
		if i%2 == 1 {
			into = &of.Drawn
			for k := range mix {
				if mix[k] > 0 {
					mix[k] = random.ExpFloat64()
				}
			}
		}
		posts := []int{100, 500, 2000}[i/2%3]
		sample := make([]feltText, posts)
		for j := range sample {
			list := byClass[drawIndex(mix, random)]
			sample[j] = list[random.IntN(len(list))]
		}
		into.add(sample, estimator, classes, float64(bags))
	}
}

// drawIndex draws an index with probabilities proportional to weights.
func drawIndex(weights []float64, random *rand.Rand) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	draw, last := random.Float64()*sum, 0
	for k, w := range weights {
		if w == 0 {
			continue
		}
		if last = k; draw < w {
			break
		}
		draw -= w
	}
	return last
}

// add adds one of n samples.
func (a *SharesAccuracy) add(sample []feltText, estimator *prevalence.Estimator, classes int, n float64) {
	truth, counted, mean := make([]float64, classes), make([]float64, classes), make([]float64, classes)
	var groups []prevalence.Group
	each := 1 / float64(len(sample))
	for _, t := range sample {
		groups = append(groups, t.group)
		truth[t.label] += each
		counted[slices.Index(t.scores, slices.Max(t.scores))] += each
		for k, score := range t.scores {
			mean[k] += score * each
		}
	}
	shares := estimator.Estimate(groups)
	each = 1 / (n * float64(classes))
	for k, share := range shares {
		a.Estimate += each * math.Abs(share.Share-truth[k])
		a.Counting += each * math.Abs(counted[k]-truth[k])
		a.Mean += each * math.Abs(mean[k]-truth[k])
		a.Width += each * (share.High - share.Low)
		if share.Low <= truth[k] && truth[k] <= share.High {
			a.Coverage += each
		}
	}
}
