package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"earshot/internal/insight"
	"earshot/internal/test/testenv"
)

// TestExplanations checks that explanations are right in a few trials. TestMeasure has more.
func TestExplanations(t *testing.T) {
	testenv.SkipUnderRace(t)
	const trials = 8
	report, err := explanations(20).Run(t.Context(), Options{Count: trials, Seed: 1, sample: smallGenerator(t, 1).Sample})
	if err != nil {
		t.Fatal(err)
	}
	f := report.Result.(ExplanationsResult)
	if f.Stories.Trials != trials || f.Without.Trials != trials || len(f.Kinds) != 1+len(trialsWithout) || report.Posts < 1000 {
		t.Fatalf("got %+v, %+v, kinds %+v of %d posts", f.Stories, f.Without, f.Kinds, report.Posts)
	}
	if f.Stories.Right < trials-1 || f.Without.Right < trials-1 || len(f.Misses) != 2*trials-f.Stories.Right-f.Without.Right {
		t.Errorf("got %d and %d right of %d each, want at least %d; wrong are %+v", f.Stories.Right, f.Without.Right, trials, trials-1, f.Misses)
	}
	if _, err := json.Marshal(report); err != nil {
		t.Error(err)
	}
}

// TestTrials checks the posts of trials.
func TestTrials(t *testing.T) {
	w, err := newTrialWorld(smallGenerator(t, 1).Sample, 30)
	if err != nil {
		t.Fatal(err)
	}
	for number := range uint64(5) {
		s := w.draw(storyTrial, 1, number, 0)
		if n := len(s.terms); n < 3 || n > 6 || s.size < 1.5 || s.size > 10 || s.hours < 1 || s.hours > 24 {
			t.Errorf("got %d terms, size %.1f, %d hours", n, s.size, s.hours)
		}
		told, authors, guids := 0, map[string]bool{}, map[string]bool{}
		for _, p := range s.matched {
			guids[p.Post.GUID] = true
			if p.Post.Time.Before(s.from) || !p.Post.Time.Before(s.to) {
				continue
			}
			text, has := strings.ToLower(p.Post.Contents), 0
			for _, term := range s.terms {
				if strings.Contains(text, term) {
					has++
				}
			}
			if has >= 2 {
				told++
				authors[p.Post.AuthorUsername] = true
			}
		}
		if told < s.planted*9/10 || len(authors) < told/3 || len(guids) != len(s.matched) {
			t.Errorf("got %d posts by %d authors about %q, %d planted; %d GUIDs of %d posts", told, len(authors), s.terms, s.planted, len(guids), len(s.matched))
		}
		again := w.draw(storyTrial, 1, number, 0)
		if !slices.Equal(again.terms, s.terms) || again.matched[0].Post.Contents != s.matched[0].Post.Contents {
			t.Error("the same seed draws another trial")
		}
	}
}

// TestTrialIsRight checks how explanations are judged.
func TestTrialIsRight(t *testing.T) {
	told := &trial{kind: storyTrial, terms: []string{"a", "b", "c"}}
	words := func(names ...string) (d insight.Drivers) {
		for _, name := range names {
			d.Words = append(d.Words, insight.Driver{Name: name})
		}
		return d
	}
	f := func(t *testing.T, trial *trial, e insight.Explanation, want bool) {
		t.Helper()
		if o := (trialOutcome{trial: trial, Explanation: &e}); o.isRight() != want {
			t.Errorf("%+v: got right %t", e, !want)
		}
	}
	f(t, told, insight.Explanation{Drivers: words("a", "x", "y", "b", "c"), Explained: 0.8}, true)
	f(t, told, insight.Explanation{Drivers: words("a", "x", "y", "b", "z", "c"), Explained: 0.8}, false)
	f(t, told, insight.Explanation{Drivers: words("a", "b", "c"), Explained: 0.79}, false)
	f(t, &trial{kind: storyTrial, terms: strings.Split("abcdef", "")}, insight.Explanation{Drivers: words("b", "c", "d", "e", "f"), Explained: 1}, true)
	none := &trial{kind: spamTrial}
	f(t, none, insight.Explanation{Cause: insight.CauseNone}, true)
	f(t, none, insight.Explanation{Cause: insight.CauseNone, Stories: []insight.Story{{}}}, false)
	f(t, none, insight.Explanation{Cause: insight.CauseSingle}, false)
}
