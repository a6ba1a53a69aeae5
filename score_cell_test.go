package earshot

import "testing"

func TestSentimentCell(t *testing.T) {
	f := func(s Sentiment, want ScoreCell, certain int) {
		t.Helper()
		if got := s.Cell(); got != want || got.Certain(len(s)) != certain {
			t.Errorf("%v: got %d, %d, want %d, %d", s, got, got.Certain(len(s)), want, certain)
		}
	}
	f(Sentiment{}, 0, -1)
	f(Sentiment{100, 0, 0}, 1, 0)
	f(Sentiment{0, 0, 100}, 3, 2)
	f(Sentiment{2, 96, 2}, 4, -1)
	f(Sentiment{2, 95, 3}, 5, -1)
	f(Sentiment{3, 95, 2}, 12, -1)
	f(Sentiment{99, 1, 0}, 4+7*8, -1)
	f(Sentiment{0, 1, 99}, 4+7, -1)
	f(Sentiment{54, 0, 46}, 4+4*8+4, -1)
}

func TestEmotionCell(t *testing.T) {
	f := func(e Emotion, want ScoreCell, certain int) {
		t.Helper()
		if got := e.Cell(); got != want || got.Certain(len(e)) != certain {
			t.Errorf("%v: got %d, %d, want %d, %d", e, got, got.Certain(len(e)), want, certain)
		}
	}
	f(Emotion{}, 0, -1)
	f(Emotion{Fear: 100}, 7, Fear)
	f(Emotion{Joy: 34, Sadness: 33, Fear: 33}, 8, -1)
	f(Emotion{Joy: 80, NoEmotion: 20}, 8+7, -1)
	f(Emotion{Joy: 49, Sadness: 32, NoEmotion: 19}, 8+2, -1)
	f(Emotion{Fear: 99, Joy: 1}, 8+(Fear*4+3)*2, -1)
	f(Emotion{NoEmotion: 99, Joy: 1}, 8+(NoEmotion*4+3)*2+1, -1)
}

// TestScoreCells checks that all scores are in valid cells.
func TestScoreCells(t *testing.T) {
	for positive := range Percent(101) {
		for negative := range 101 - positive {
			s := Sentiment{positive, 100 - positive - negative, negative}
			if cell := s.Cell(); cell == 0 || cell >= SentimentCells {
				t.Fatalf("%v is in cell %d", s, cell)
			}
		}
	}
	for i := range BasicEmotions {
		for score := Percent(15); score <= 100; score++ {
			for j := range BasicEmotions {
				e := Emotion{}
				e[j] += 100 - score
				e[i] += score
				if cell := e.Cell(); cell == 0 || cell >= EmotionCells {
					t.Fatalf("%v is in cell %d", e, cell)
				}
			}
		}
	}
}

func TestInferredScores(t *testing.T) {
	for s, want := range map[Sentiment]Sentiment{
		{}: {}, {99, 1, 0}: {99, 1, 0}, {0, 0, 100}: {0, 1, 99}, {100, 0, 0}: {99, 1, 0}, {0, 100, 0}: {1, 99, 0},
	} {
		if got := s.Inferred(); got != want {
			t.Errorf("%v: got %v, want %v", s, got, want)
		}
	}
	if got := (Emotion{Fear: 100}).Inferred(); got != (Emotion{NoEmotion: 1, Fear: 99}) {
		t.Errorf("got %v", got)
	}
}
