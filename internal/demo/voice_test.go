package demo

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
)

// TestVoices finds who drove the story of the paywall.
func TestVoices(t *testing.T) {
	w := newExplained(t, standard)
	w.service.OwnAccounts = func(*earshot.Monitor) []string { return []string{TwitterHandle} }
	day := standard.StoryDay().Start(time.UTC)
	v, err := w.service.Voices(t.Context(), w.monitor, insight.VoicesRequest{From: day, To: day.AddDate(0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	f := func(name string, list []insight.Voice, of func(*insight.Voice) any, want ...string) {
		t.Helper()
		var got []string
		for _, v := range list[:len(want)] {
			got = append(got, fmt.Sprint(v.Username, " ", v.Role, " ", of(&v)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	f("first", v.First, func(v *insight.Voice) any { return v.First.Format("15:04") }, "nadia_brews  12:10")
	f("engagement", v.Engagement, func(v *insight.Voice) any { return v.Engagement },
		"theopours  86374", "fairdealnow  25983", "dailyledger press 14750", "nadia_brews  8990", "MorvessaCoffee own 6420")
	f("reach", v.Reach, func(v *insight.Voice) any { return v.Followers.Int() },
		"dailyledger press 890000", "theopours  412000", "morvessacoffee own 261000", "MorvessaCoffee own 184000", "fairdealnow  152000")
	f("copied", v.Copied, func(v *insight.Voice) any { return v.Copies },
		"theopours  124", "fairdealnow  81", "ellenmarchetti press 61", "dailyledger press 51", "nadia_brews  33")
	if v.Estimated || v.Story == nil {
		t.Errorf("got estimated %t, story %+v", v.Estimated, v.Story)
	}
}
