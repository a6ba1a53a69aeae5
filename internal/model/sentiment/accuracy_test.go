package sentiment

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/model/classify"
)

// TestDevSets guards against regressions. The thresholds are slightly below the results of the
// committed model. docs/models has the measurements.
func TestDevSets(t *testing.T) {
	m := newModel(t)
	sentiments := []string{"positive", "neutral", "negative"}
	emotions := []string{"joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear"}
	for _, set := range []struct {
		file, column     string
		classes          []string // classes to choose the prediction from
		recall, f1       float64  // minimum
		calibrationError float64  // maximum
	}{
		{"sentiment/tweeteval_en_dev", "label", sentiments, 0.70, 0.65, 0.05},
		{"sentiment/umsab_dev", "label", sentiments, 0.58, 0.58, 0.05},
		{"emotion/goemotions_dev", "ekman", emotions, 0.62, 0.61, 0.05},
		{"emotion/tweeteval_emotion_dev", "ekman", []string{"joy", "sadness", "anger"}, 0.72, 0.72, 1},
	} {
		rows := readRows(t, set.file)
		var said, gold []string
		var outcomes []classify.Outcome
		for _, r := range rows {
			language := r["language"]
			if language == "" {
				language = "en"
			}
			s, e := m.Probabilities(r["text"], language)
			probabilities, names := s[:], sentiments
			if set.column == "ekman" {
				probabilities, names = e[:], emotions
			}
			labels := strings.Split(r[set.column], ",")
			predicted := predict(probabilities, names, set.classes)
			said, gold = append(said, predicted), append(gold, nearest(predicted, labels))
			j := classify.Outcome{Scores: slices.Clone(probabilities)}
			for _, name := range names {
				j.Correct = append(j.Correct, slices.Contains(labels, name))
			}
			outcomes = append(outcomes, j)
		}
		recall, f1 := macro(said, gold, set.classes)
		calibrationError := classify.CalibrationError(outcomes)
		t.Logf("%s: macro recall %.4f, macro F1 %.4f, calibration error %.3f", set.file, recall, f1, calibrationError)
		if recall < set.recall || f1 < set.f1 || calibrationError > set.calibrationError {
			t.Errorf("%s: macro recall %.4f, F1 %.4f, calibration error %.3f; want at least %.2f, %.2f, at most %.2f",
				set.file, recall, f1, calibrationError, set.recall, set.f1, set.calibrationError)
		}
	}
}

func predict(probabilities []float32, names, classes []string) string {
	best, top := "", float32(-1)
	for i, probability := range probabilities {
		if probability > top && slices.Contains(classes, names[i]) {
			best, top = names[i], probability
		}
	}
	return best
}

// nearest returns the label to compare a prediction with. Any of the labels is correct.
func nearest(predicted string, labels []string) string {
	if slices.Contains(labels, predicted) {
		return predicted
	}
	return labels[0]
}

func macro(said, gold, classes []string) (recall, f1 float64) {
	for _, class := range classes {
		var labeled, predicted, right float64
		for i := range gold {
			if gold[i] == class {
				labeled++
			}
			if said[i] == class {
				predicted++
			}
			if gold[i] == class && said[i] == class {
				right++
			}
		}
		recall += right / max(labeled, 1) / float64(len(classes))
		f1 += 2 * right / max(labeled+predicted, 1) / float64(len(classes))
	}
	return recall, f1
}

// readRows reads a table from the data folder. It skips the test if the table does not exist.
func readRows(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("../../../../shared/data", name+".tsv.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no data folder")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	columns := strings.Split(lines.Text(), "\t")
	var rows []map[string]string
	for lines.Scan() {
		r := map[string]string{}
		for i, field := range strings.Split(lines.Text(), "\t") {
			r[columns[i]] = field
		}
		rows = append(rows, r)
	}
	return rows
}
