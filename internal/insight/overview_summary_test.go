package insight_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
)

// TestSpikes summarizes a week after four others with a constant number of posts per day. The last
// day is today.
func TestSpikes(t *testing.T) {
	for _, test := range []struct {
		name  string
		usual int // posts of each day
		week  [7]int
		want  string
	}{
		{"a spike", 20, [7]int{20, 60, 19, 21, 20, 20, 7}, "2026-03-31:60"},
		{"two spikes, the larger one first", 20, [7]int{20, 45, 60, 21, 20, 20, 7}, "2026-04-01:60 2026-03-31:45"},
		{"a day outside of its interval", 20, [7]int{20, 35, 20, 20, 20, 20, 7}, ""},
		{"far fewer posts", 60, [7]int{60, 1, 60, 60, 60, 60, 7}, ""},
		{"nine posts more", 1, [7]int{1, 10, 1, 1, 1, 1, 0}, ""},
		{"ten posts more", 1, [7]int{1, 11, 1, 1, 1, 1, 0}, "2026-03-31:11"},
		{"the first posts of a monitor", 0, [7]int{0, 40, 0, 0, 0, 0, 0}, ""},
		{"today", 20, [7]int{20, 21, 19, 21, 20, 20, 70}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newChatter(t, 1)
			today := c.Now().Truncate(24 * time.Hour)
			for day := range 35 {
				posts := test.usual
				if day >= 28 {
					posts = test.week[day-28]
				}
				for range posts {
					c.add(today.AddDate(0, 0, day-34), "coffee", nil)
				}
			}
			if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
				t.Fatal(err)
			}
			m := c.monitor()
			end := earshot.DateOf(today).AddDays(1)
			m.Start = end.AddDays(-35)
			sum, err := c.Summary(t.Context(), m, earshot.Days{Start: end.AddDays(-7), End: end})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, d := range sum.Spikes {
				got += fmt.Sprintf(" %s:%d", d.Day, d.Posts)
			}
			if want := " " + test.want; test.want != "" && got != want || test.want == "" && got != "" {
				t.Errorf("got%s, want %s", got, test.want)
			}
		})
	}
}
