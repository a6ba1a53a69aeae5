package eval

import (
	"reflect"
	"strings"
	"testing"
)

// scorer returns a multi-label task over the classes a, b and c. The columns of the same names are
// the scores in tenths.
func scorer(thresholds Thresholds) task {
	t := task{label: "label", classes: []string{"a", "b", "c"}, several: true, thresholds: thresholds, class: strings.ToLower}
	t.ask = func(r row, allowed []string) prediction {
		var scores []float32
		for _, name := range t.classes {
			scores = append(scores, float32(r.get(name)[0]-'0')/10)
		}
		return best(scores, t.classes, allowed)
	}
	return t
}

func scoreRows(t *testing.T, k task, rows ...string) Result {
	t.Helper()
	text := strings.ReplaceAll(strings.Join(append([]string{"label a b c"}, rows...), "\n"), " ", "\t")
	table, err := readTable(strings.NewReader(text), []string{"label"})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, _, err := k.gold(table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range outcomes {
		outcomes[i].prediction = k.ask(outcomes[i].row, k.classes)
	}
	return k.score(outcomes, k.classes)
}

func TestMultiLabel(t *testing.T) {
	rows := []string{
		"a,b 5 4 1", // top a; a and b reach 0.35
		"b 3 3 3",   // none reaches its threshold, and a is the first of equal scores
		"c,a 1 0 9", // top c, and nothing else
		"b 4 6 0",   // top b; a and b reach 0.35
	}
	got := scoreRows(t, scorer(Thresholds{"a": 0.35, "b": 0.35, "c": 0.35}), rows...).MultiLabel
	want := map[string]Class{"a": {2, 0.5, 0.5, 0.5}, "b": {3, 1, rounded(1.0 / 3), 0.5}, "c": {1, 1, 1, 1}}
	if !reflect.DeepEqual(got.Top.PerClass, want) || got.Top.MacroF1 != rounded(2.0/3) || got.Top.MacroRecall != rounded((0.5+1.0/3+1)/3) {
		t.Errorf("top: got %+v, want %+v", got.Top, want)
	}
	want = map[string]Class{"a": {2, rounded(1.0 / 3), 0.5, 0.4}, "b": {3, 1, rounded(2.0 / 3), 0.8}, "c": {1, 1, 1, 1}}
	if !reflect.DeepEqual(got.Thresholded.PerClass, want) || got.Thresholded.MacroF1 != rounded(2.2/3) {
		t.Errorf("thresholded: got %+v, want %+v", *got.Thresholded, want)
	}
	if i := got.Thresholded.MacroF1Interval; i[0] >= got.Thresholded.MacroF1 || i[1] <= got.Thresholded.MacroF1 {
		t.Errorf("the interval %v does not contain %v", i, got.Thresholded.MacroF1)
	}
}

func TestOrderOfLabelsDoesNotMatter(t *testing.T) {
	k := scorer(Thresholds{"a": 0.35, "b": 0.35, "c": 0.35})
	one := scoreRows(t, k, "a,b 1 2 7", "b,c 8 1 1", "a,c 9 1 0")
	other := scoreRows(t, k, "b,a 1 2 7", "c,b 8 1 1", "c,a 9 1 0")
	if !reflect.DeepEqual(one, other) {
		t.Errorf("got %+v and %+v", one, other)
	}
}

func TestShares(t *testing.T) {
	got := scoreRows(t, scorer(nil), "a,b 5 4 1", "a 6 3 1", "c 1 0 9", "b 4 6 0").Shares
	want := &Shares{
		Counted: rounded((0.125 + 0.125 + 0) / 3), MeanScore: rounded((0.025 + 0.05 + 0.025) / 3),
		PerClass: map[string]Share{"a": {0.375, 0.125, 0.025}, "b": {0.375, -0.125, -0.05}, "c": {0.25, 0, 0.025}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestFitThresholds(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	table := strings.Join([]string{"ekman\ttext", "joy\tI am so happy, what a wonderful day :)", "sadness\tI am so sad, I miss her", "anger\tI am furious, you idiots"}, "\n")
	fitted, err := FitThresholds("emotion", m, strings.NewReader(table), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run("emotion", m, strings.NewReader(table), Options{Thresholds: fitted})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.MultiLabel.Thresholded; got.MacroF1 != 1 || len(got.Thresholds) != 3 {
		t.Errorf("got macro F1 %v with %v, want 1", got.MacroF1, got.Thresholds)
	}
	_, err = FitThresholds("sentiment", m, strings.NewReader("label\ttext\npositive\tgood\n"), Options{})
	if err == nil || err.Error() != `the task "sentiment" has one label a row and needs no thresholds` {
		t.Errorf("got %v", err)
	}
}
