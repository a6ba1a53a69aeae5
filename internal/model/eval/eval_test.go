package eval

import (
	"bytes"
	"compress/gzip"
	"math"
	"reflect"
	"strings"
	"testing"
)

// parrot returns a task whose model predicts the value of the column "said", with the confidence
// given in the column "sure".
func parrot(t task) task {
	t.label, t.class = "label", strings.ToLower
	t.ask = func(r row, _ []string) prediction {
		sure := map[string]float64{"": 0, "half": 0.5, "high": 0.9}
		return prediction{label: r.get("said"), confidence: sure[r.get("sure")]}
	}
	return t
}

func measure(t *testing.T, k task, rows ...string) Result {
	t.Helper()
	text := strings.ReplaceAll(strings.Join(append([]string{"label said sure"}, rows...), "\n"), " ", "\t")
	table, err := readTable(strings.NewReader(text), []string{"label"})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, skipped, err := k.gold(table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range outcomes {
		outcomes[i].prediction = k.ask(outcomes[i].row, nil)
	}
	r := k.score(outcomes, nil)
	r.Skipped = skipped
	return r
}

func TestScore(t *testing.T) {
	e := func(x float64) *float64 { return &x }
	tests := []struct {
		name string
		task task
		rows []string
		want Result
	}{
		{
			name: "recall and precision are means over the classes of the labels",
			task: parrot(task{}),
			rows: []string{"A a half", "a a half", "a b half", "b b half", "c d half"},
			want: Result{
				Rows: 5, Coverage: 1, Accuracy: 0.6, MacroRecall: rounded((2.0/3 + 1 + 0) / 3), MacroF1: rounded((0.8 + 2.0/3 + 0) / 3),
				PerClass: map[string]Class{"a": {3, 1, 0.6667, 0.8}, "b": {1, 0.5, 1, 0.6667}, "c": {Rows: 1}, "d": {}},
			},
		},
		{
			name: "a row without a prediction is missed, but not wrong",
			task: parrot(task{}),
			rows: []string{"a a half", "a  half", " a half"},
			want: Result{
				Rows: 2, Skipped: 1, Coverage: 0.5, Accuracy: 1, MacroRecall: 0.5, MacroF1: 0.6667,
				PerClass: map[string]Class{"a": {2, 1, 0.5, 0.6667}},
			},
		},
		{
			name: "any of several labels is right",
			task: parrot(task{several: true}),
			rows: []string{"a,b b half", "a,a a half"},
			want: Result{
				Rows: 2, Coverage: 1, Accuracy: 1, MacroRecall: 1, MacroF1: 1,
				PerClass: map[string]Class{"a": {2, 1, 1, 1}, "b": {1, 1, 1, 1}},
			},
		},
		{
			name: "several labels share a miss, in any order",
			task: parrot(task{several: true}),
			rows: []string{"a,b b half", "b,a c half", "a,b c half", "a a half"},
			want: Result{
				Rows: 4, Coverage: 1, Accuracy: 0.5, MacroRecall: 0.5, MacroF1: rounded(2.0 / 3),
				PerClass: map[string]Class{"a": {4, 1, 0.5, 0.6667}, "b": {3, 1, 0.5, 0.6667}, "c": {}},
			},
		},
		{
			name: "no prediction may be correct",
			task: parrot(task{empty: "none", none: "none"}),
			rows: []string{" none half", "a none half", "a a half"},
			want: Result{
				Rows: 3, Coverage: 0.3333, Accuracy: 0.6667, MacroRecall: 0.75, MacroF1: 0.6667,
				PerClass: map[string]Class{"a": {2, 1, 0.5, 0.6667}, "none": {1, 0.5, 1, 0.6667}},
			},
		},
		{
			name: "a class outside the task counts only in its own recall",
			task: parrot(task{outside: "brand"}),
			rows: []string{"a a half", "brand  half", "brand a half"},
			want: Result{
				Rows: 3, Coverage: 1, Accuracy: 1, MacroRecall: 1, MacroF1: 1,
				PerClass: map[string]Class{"a": {1, 1, 1, 1}, "brand": {Rows: 2, Recall: 0.5}},
			},
		},
		{
			name: "calibration error compares confidence with accuracy",
			task: parrot(task{sure: true}),
			rows: []string{"a a half", "a b half", "a a high", "a b high"},
			want: Result{
				Rows: 4, Coverage: 1, Accuracy: 0.5, MacroRecall: 0.5, MacroF1: 0.6667,
				PerClass:         map[string]Class{"a": {4, 1, 0.5, 0.6667}, "b": {}},
				CalibrationError: e(0.2),
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := measure(t, tt.task, tt.rows...)
			got.AccuracyInterval, got.MacroRecallInterval, got.MacroF1Interval, got.CalibrationErrorInterval = Interval{}, Interval{}, Interval{}, nil
			got.MultiLabel = nil
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestRun(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	f := func(task, table string, rows int, accuracy float64) {
		t.Helper()
		r, err := Run(task, m, strings.NewReader(table), Options{})
		if err != nil {
			t.Errorf("%s: %v", task, err)
			return
		}
		if r.Rows != rows || math.Abs(r.Accuracy-accuracy) > 1e-9 || r.PostsPerSecond <= 0 {
			t.Errorf("%s: got %+v, want %d rows, %v right", task, r, rows, accuracy)
		}
	}
	f("sentiment", "label\ttext\npositive\tI love this so much, it is great!\nnegative\tI hate this, worst day ever\n", 2, 1)
	f("emotion", "ekman\ttext\njoy\tI am so happy, what a wonderful day :)\nanger,disgust\tI am furious, fuck these idiots\n\tno label\n", 2, 1)
	f("language", "language\ttext\nen\tThe weather is very nice today\nde\tDas Wetter ist heute sehr schön\neo\tLa vetero estas tre bela hodiaŭ\n", 3, 1)
	f("gender", "gender\tusername\tdescription\ttext\nF\tjessica_m\tMother of two, wife\thello\nbrand\tacme_news\tOfficial news of Acme Inc.\tour new store\n", 2, 1)
	f("place", "label\ttext\nDEU.State of Berlin.Berlin\tBerlin, Germany\n\tsomewhere over the rainbow\n", 2, 1)
	f("place", "country\tstate\ttext\nCAN\tOntario\tToronto\nCAN\tON\tToronto, Ont.\nUSA\tGA\tathens ga\nDEU\t\tBerlin, Germany\n\t\tsomewhere over the rainbow\n", 5, 1)
	f("place", "country\tstate\ttext\nCAN\tQuebec\tToronto\nCAN\tAtlantis\tToronto\nUSA\t\tToronto\nCAN\t\tToronto\n", 4, 0.25)
}

func TestGroups(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	table := "kind\tlabel\ttext\nreal\tDEU.State of Berlin.Berlin\tBerlin, Germany\njoke\tDEU\tsomewhere over the rainbow\n"
	r, err := Run("place", m, strings.NewReader(table), Options{By: []string{"kind"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Groups["real"].Accuracy != 1 || r.Groups["joke"].Accuracy != 0 || len(r.Groups) != 2 {
		t.Errorf("got %+v", r.Groups)
	}
}

func TestRunRejectsInvalidInput(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	f := func(task, table string, o Options, want string) {
		t.Helper()
		if _, err := Run(task, m, strings.NewReader(table), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", task, err, want)
		}
	}
	f("color", "label\ttext\n", Options{}, `unknown task "color"; use one of emotion, gender, language, place, sentiment`)
	f("sentiment", "", Options{}, `the table has no column "label"`)
	f("place", "place\ttext\nDEU\tBerlin\n", Options{}, `the table has no column "label"`)
	f("sentiment", "label\ttexts\na\tb\n", Options{}, `the table has no column "text"`)
	f("sentiment", "label\ttext\na\n", Options{}, `line 2 has 1 columns, but the first line has 2`)
	f("sentiment", "label\ttext\n\tb\n", Options{}, `the table has no rows with a value in column "label"`)
	f("sentiment", "label\ttext\npositive\tb\n", Options{By: []string{"kind", "x"}}, `the table has no column "kind" to group by`)
	f("sentiment", "label\ttext\npositive\t"+strings.Repeat("x", maxLine)+"\n", Options{}, `line 2: `)
	f("sentiment", "\x1f\x8bnot gzip", Options{}, "gzip")
	f("sentiment", "label\ttext\npositive\tb\npos\tb\n", Options{}, `line 3: unknown label "pos" in column "label"; use one of positive, neutral, negative`)
	f("emotion", "ekman\ttext\njoy,rage\tb\n", Options{}, `line 2: unknown label "rage" in column "ekman"; use one of joy, sadness, neutral, disgust, anger, surprise, fear`)
	f("gender", "gender\ttext\nfemale\tb\n", Options{}, `line 2: unknown label "female" in column "gender"; use one of F, M, brand`)
	f("sentiment", "label\ttext\tdomain\npositive\tb\tbook\n", Options{}, `line 2: unknown domain "book"; use one of forum, news, review, social`)
	f("sentiment", "label\ttext\tlabel\npositive\tb\tneutral\n", Options{}, `the first line names column "label" twice`)
}

func TestReadGzippedTable(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("label\ttext\r\na\tb\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	table, err := readTable(&packed, []string{"label", "text"})
	if err != nil {
		t.Fatal(err)
	}
	if rows := table.rows(); len(rows) != 1 || rows[0].get("text") != "b" || rows[0].get("other") != "" {
		t.Errorf("got %v", rows)
	}
}
