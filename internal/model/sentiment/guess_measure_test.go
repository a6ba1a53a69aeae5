package sentiment

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/model/dataset"
	"earshot/internal/test/testenv"
)

// TestMeasure fits clueWeights to labeled texts and to posts of different kinds, and measures how often
// the domain of samples of 50 texts is guessed right, with weights that were fitted to other data sets. It
// prints both.
func TestMeasure(t *testing.T) {
	testenv.SkipUnlessLong(t)
	const data = "../../../../shared/data"
	if _, err := os.Stat(data); err != nil {
		testenv.SkipMissing(t, err)
	}
	sets := readCollections(t, data)
	random := rand.New(rand.NewPCG(3, 4))
	const folds, samples = 8, 20
	shipped := clueWeights
	defer func() { clueWeights = shipped }()
	var right, wrong, unclear [Domains]int
	for fold := range uint32(folds) {
		clueWeights = fitClues(slices.DeleteFunc(slices.Clone(sets), func(c *collection) bool { return c.fold(folds) == fold }))
		for _, c := range sets {
			if c.fold(folds) != fold {
				continue
			}
			for range samples {
				texts := make([]string, MinGuessTexts)
				for i := range texts {
					texts[i] = c.texts[random.IntN(len(c.texts))]
				}
				switch d, ok := GuessDomain(texts); {
				case !ok:
					unclear[c.domain]++
				case d == c.domain:
					right[c.domain]++
				default:
					wrong[c.domain]++
				}
			}
		}
	}
	t.Logf("by domain (social, review, news, forum): right %v, wrong %v, unclear %v", right, wrong, unclear)
	for clue, weights := range fitClues(sets) {
		t.Logf("clue %d: %.2f", clue, weights)
	}
}

// A collection is texts of one origin. Collections of a group are alike, so they are never in different
// folds.
type collection struct {
	name, group string
	domain      Domain
	texts       []string
	clues       [][clueCount]bool // of each text
}

func (c *collection) fold(folds uint32) uint32 {
	h := fnv.New32a()
	h.Write([]byte(c.group))
	return h.Sum32() % folds
}

// readCollections reads up to 250 texts of each collection that has 60 or more.
func readCollections(t *testing.T, data string) []*collection {
	all := map[string]*collection{}
	add := func(name, group string, d Domain, text string) {
		if all[name] == nil {
			all[name] = &collection{name: name, group: group, domain: d}
		}
		if c := all[name]; len(c.texts) < 250 {
			c.texts, c.clues = append(c.texts, text), append(c.clues, clues(text))
		}
	}
	files, err := filepath.Glob(filepath.Join(data, "sentiment", "*_train.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), "_train.tsv.gz")
		for i, line := range gzipLines(t, file) {
			cells := strings.Split(line, "\t")
			text := cells[len(cells)-1]
			set, _, _ := strings.Cut(cells[0], "-")
			switch {
			case i == 0: // columns
			case strings.HasPrefix(name, "more_") && !slices.Contains(mixedSets, set):
				add(set+strings.TrimPrefix(name, "more"), set, DomainOfDataset(set), text)
			case name == "newsmtsc":
				add(name, name, News, text)
			case name == "semeval_en":
				add(name, name, Social, cells[2])
			case name == "umsab":
				add("umsab-"+cells[1], name, Social, text)
			case name == "uci_review_sentences":
				add("uci-"+cells[0], "uci-"+cells[0], Review, text)
			}
		}
	}
	for i, line := range gzipLines(t, filepath.Join(data, "emotion", "goemotions_train.tsv.gz")) {
		if i > 0 {
			add("goemotions", "goemotions", Forum, line[strings.LastIndex(line, "\t")+1:])
		}
	}
	for file, d := range map[string]Domain{"blogs": News, "forums": Forum, "news": News, "reviews": Review, "twitter": Social, "comments": Forum, "hackernews": Forum} {
		for _, line := range gzipLines(t, filepath.Join(data, "posts", file+"_posts.jsonl.gz")) {
			var p struct{ GUID, Title, Contents, Language string }
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Fatal(err)
			}
			group := file
			switch file {
			case "forums", "comments":
				group = "questions"
			case "twitter":
				file += "-" + p.Language
			}
			add(file, group, d, strings.TrimSpace(p.Title+"\n"+p.Contents))
		}
	}
	var list []*collection
	for _, c := range all {
		if len(c.texts) >= 60 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *collection) int { return strings.Compare(a.name, b.name) })
	return list
}

// mixedSets are data sets with texts of several domains.
var mixedSets = []string{"el", "bank", "nusax", "cedr", "osc", "asap", "lcc"}

func gzipLines(t *testing.T, file string) (lines []string) {
	for line, err := range dataset.Lines(file) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// fitClues fits a multinomial logistic regression, in which each group counts alike within its domain.
func fitClues(sets []*collection) (weights [clueCount][Domains]float64) {
	type example struct {
		has    [clueCount]bool
		domain Domain
		weight float64
	}
	groups, byDomain := map[string]int{}, [Domains]map[string]bool{}
	for _, c := range sets {
		if groups[c.group]++; byDomain[c.domain] == nil {
			byDomain[c.domain] = map[string]bool{}
		}
		byDomain[c.domain][c.group] = true
	}
	var examples []example
	for _, c := range sets {
		for _, has := range c.clues {
			weight := 1 / float64(len(c.texts)) / float64(groups[c.group]) / float64(len(byDomain[c.domain]))
			examples = append(examples, example{has, c.domain, weight})
		}
	}
	// Gradient descent with momentum and a step size for each weight (Adam).
	const steps, size, penalty = 100, 0.08, 0.01
	var momentum, squares [clueCount][Domains]float64
	for step := 1.0; step <= steps; step++ {
		gradient := weights
		for clue := range gradient {
			for d := range gradient[clue] {
				gradient[clue][d] *= penalty
			}
		}
		for _, x := range examples {
			var p [Domains]float64
			sum := 0.0
			for d := range p {
				for clue, has := range x.has {
					if has {
						p[d] += weights[clue][d]
					}
				}
				p[d] = math.Exp(p[d])
				sum += p[d]
			}
			for d := range p {
				off := p[d] / sum
				if Domain(d) == x.domain {
					off--
				}
				for clue, has := range x.has {
					if has {
						gradient[clue][d] += off * x.weight
					}
				}
			}
		}
		for clue := range weights {
			for d, g := range gradient[clue] {
				m, v := &momentum[clue][d], &squares[clue][d]
				*m, *v = 0.9**m+0.1*g, 0.99**v+0.01*g*g
				weights[clue][d] -= size * (*m / (1 - math.Pow(0.9, step))) / (math.Sqrt(*v/(1-math.Pow(0.99, step))) + 1e-8)
			}
		}
	}
	return weights
}
