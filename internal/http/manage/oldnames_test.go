package manage

import (
	"strings"
	"testing"

	"earshot/internal/http/rest"
	"earshot/internal/model/training"
	"earshot/internal/workspace/card"
)

// TestOldNames checks that responses have renamed fields under both names.
func TestOldNames(t *testing.T) {
	f := func(v any, names ...string) {
		t.Helper()
		got, err := rest.AppendJSON(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !strings.Contains(string(got), `"`+name+`":`) {
				t.Errorf("%T has no field %s: %s", v, name, got)
			}
		}
	}
	f(training.Info{}, "trainedAt", "learntAt")
	f(training.Confusion{}, "predicted", "told")
	f(training.Disagreement{}, "predicted", "told", "predictedId", "toldId")
	f(card.Overview{}, "needsTraining", "untaught")
	f(card.ComparedRow{}, "needsTraining", "untaught")
	f(summaryItem{}, "needsTraining", "untaught")
	f(Status{}, "quarantined", "setAside")
}
