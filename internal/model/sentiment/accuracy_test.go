package sentiment

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/model/classify"
	"earshot/internal/model/dataset"
	"earshot/internal/test/testenv"
)

// TestDevSets guards against regressions. The thresholds are slightly below the results of the
// committed model. docs/models has the measurements.
func TestDevSets(t *testing.T) {
	m := newModel(t)
	sentiments := []string{"positive", "neutral", "negative"}
	two := []string{"positive", "negative"}
	emotions := []string{"joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear"}
	for _, set := range []struct {
		file, column     string
		classes          []string // classes to choose the prediction from
		recall, f1       float64  // minimum
		calibrationError float64  // maximum
	}{
		{"sentiment/more_ar_dev", "label", sentiments, 0.68, 0.68, 0.04},
		{"sentiment/more_bg_dev", "label", two, 0.79, 0.79, 0.03},
		{"sentiment/more_da_dev", "label", sentiments, 0.55, 0.54, 0.12},
		{"sentiment/more_de_dev", "label", two, 0.74, 0.73, 0.05},
		{"sentiment/more_el_dev", "label", sentiments, 0.73, 0.73, 0.05},
		{"sentiment/more_en_dev", "label", sentiments, 0.69, 0.69, 0.03},
		{"sentiment/more_es_dev", "label", two, 0.63, 0.59, 0.08},
		{"sentiment/more_fa_dev", "label", sentiments, 0.67, 0.59, 0.04},
		{"sentiment/more_fr_dev", "label", two, 0.85, 0.85, 0.06},
		{"sentiment/more_he_dev", "label", sentiments, 0.67, 0.59, 0.06},
		{"sentiment/more_hi_dev", "label", sentiments, 0.63, 0.62, 0.05},
		{"sentiment/more_hr_dev", "label", two, 0.79, 0.78, 0.03},
		{"sentiment/more_hu_dev", "label", sentiments, 0.59, 0.58, 0.04},
		{"sentiment/more_id_dev", "label", sentiments, 0.85, 0.81, 0.04},
		{"sentiment/more_it_dev", "label", sentiments, 0.66, 0.63, 0.05},
		{"sentiment/more_ja_dev", "label", sentiments, 0.82, 0.81, 0.03},
		{"sentiment/more_kk_dev", "label", sentiments, 0.56, 0.56, 0.04},
		{"sentiment/more_ko_dev", "label", sentiments, 0.66, 0.66, 0.04},
		{"sentiment/more_pl_dev", "label", two, 0.74, 0.74, 0.04},
		{"sentiment/more_pt_dev", "label", sentiments, 0.60, 0.60, 0.04},
		{"sentiment/more_ro_dev", "label", sentiments, 0.79, 0.78, 0.03},
		{"sentiment/more_ru_dev", "label", sentiments, 0.70, 0.69, 0.05},
		{"sentiment/more_sk_dev", "label", two, 0.73, 0.72, 0.03},
		{"sentiment/more_sl_dev", "label", two, 0.78, 0.78, 0.04},
		{"sentiment/more_sr_dev", "label", two, 0.78, 0.77, 0.03},
		{"sentiment/more_sv_dev", "label", sentiments, 0.64, 0.52, 0.11},
		{"sentiment/more_th_dev", "label", sentiments, 0.67, 0.67, 0.03},
		{"sentiment/more_tr_dev", "label", two, 0.87, 0.87, 0.03},
		{"sentiment/more_ur_dev", "label", two, 0.60, 0.60, 0.06},
		{"sentiment/more_zh_dev", "label", sentiments, 0.79, 0.78, 0.04},
		{"sentiment/newsmtsc_dev", "label", sentiments, 0.58, 0.58, 0.06},
		{"sentiment/tricky_dev", "label", sentiments, 0.77, 0.77, 0.11},
		{"sentiment/tweeteval_en_dev", "label", sentiments, 0.68, 0.65, 0.03},
		{"sentiment/umsab_dev", "label", sentiments, 0.58, 0.58, 0.04},
		{"emotion/more_en_dev", "ekman", emotions, 0.43, 0.43, 0.07},
		{"emotion/more_es_dev", "ekman", emotions, 0.44, 0.33, 0.06},
		{"emotion/more_id_dev", "ekman", []string{"joy", "sadness", "anger", "fear"}, 0.68, 0.68, 0.06},
		{"emotion/more_ko_dev", "ekman", emotions, 0.63, 0.47, 0.06},
		{"emotion/more_ro_dev", "ekman", []string{"joy", "sadness", "neutral", "anger", "surprise", "fear"}, 0.66, 0.64, 0.06},
		{"emotion/more_ru_dev", "ekman", []string{"joy", "sadness", "neutral", "anger", "surprise", "fear"}, 0.67, 0.64, 0.06},
		{"emotion/more_tr_dev", "ekman", []string{"joy", "sadness", "anger", "surprise", "fear"}, 0.94, 0.94, 0.04},
		{"emotion/more_zh_dev", "ekman", []string{"joy", "sadness", "neutral", "anger", "surprise", "fear"}, 0.63, 0.60, 0.06},
		{"emotion/goemotions_dev", "ekman", emotions, 0.65, 0.61, 0.05},
		{"emotion/tweeteval_emotion_dev", "ekman", []string{"joy", "sadness", "anger"}, 0.77, 0.77, 0.06},
	} {
		rows := readRows(t, set.file)
		var said, gold []string
		var outcomes []classify.Outcome
		for _, r := range rows {
			language := r["language"]
			if language == "" {
				language = "en"
			}
			s, e := m.Probabilities(r["text"], language, Social)
			probabilities, names := s[:], sentiments
			if set.column == "ekman" {
				probabilities, names = e[:], emotions
			}
			labels := strings.Split(r[set.column], ",")
			predicted := predict(probabilities, names, set.classes)
			said, gold = append(said, predicted), append(gold, nearest(predicted, labels))
			outcomes = append(outcomes, outcome(probabilities, names, set.classes, labels))
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

// outcome returns the probabilities of the classes to choose from, normalized.
func outcome(probabilities []float32, names, classes, labels []string) (o classify.Outcome) {
	var sum float32
	for i, name := range names {
		if slices.Contains(classes, name) {
			o.Scores = append(o.Scores, probabilities[i])
			o.Correct = append(o.Correct, slices.Contains(labels, name))
			sum += probabilities[i]
		}
	}
	for i := range o.Scores {
		o.Scores[i] /= sum
	}
	return o
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
func readRows(t *testing.T, name string) []dataset.Row {
	t.Helper()
	rows, err := dataset.Table(filepath.Join("../../../../shared/data", name+".tsv.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		testenv.SkipMissing(t, "no data folder")
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
