package interest

import (
	"testing"

	"earshot"
)

func TestAll(t *testing.T) {
	all := All()
	seen := map[string]bool{}
	groups := map[string]bool{}
	for i, in := range all {
		if i > 0 && in.ID <= all[i-1].ID {
			t.Errorf("%d %s: not after %d", in.ID, in.Name, all[i-1].ID)
		}
		if in.Name == "" || in.Group == "" || seen[in.Name] {
			t.Errorf("%+v: no name, no group, or a duplicate", in)
		}
		seen[in.Name] = true
		groups[in.Group] = true
		if got, ok := Lookup(in.ID); !ok || got != in {
			t.Errorf("interest %d: got %v, %t, want %v", in.ID, got, ok, in)
		}
	}
	if len(all) < 200 || len(groups) < 20 {
		t.Errorf("got %d interests in %d groups, want 200 in 20", len(all), len(groups))
	}
	if got, ok := Lookup(0); ok {
		t.Errorf("interest 0: got %v, want none", got)
	}
	all[0].Name = "changed"
	if All()[0].Name == "changed" {
		t.Error("callers share the list")
	}
}

// TestIDsAreStable checks that ids do not change, because stored posts contain them.
func TestIDsAreStable(t *testing.T) {
	for id, want := range map[earshot.InterestID]string{1: "Soccer", 45: "Dogs", 69: "Musical Instruments", 115: "Magic and Illusion", 227: "Politics", 239: "Shopping"} {
		if got, _ := Lookup(id); got.Name != want {
			t.Errorf("interest %d: got %s, want %s", id, got.Name, want)
		}
	}
}
