package catalog

import (
	"fmt"
	"log/slog"
	"testing"

	"earshot"
	"earshot/internal/state/kv"
)

// TestSkipIDs loses the sequences of IDs and expects that the next IDs are new.
func TestSkipIDs(t *testing.T) {
	f := func(name string, seen int64, records map[string]string, want, wantBlob int64) {
		t.Run(name, func(t *testing.T) {
			store := kv.NewMemory()
			for key, value := range records {
				if _, err := store.Set(t.Context(), key, []byte(value)); err != nil {
					t.Fatal(err)
				}
			}
			c, err := Open(t.Context(), store, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if next, err := c.SkipIDs(t.Context(), seen); err != nil || next != want {
				t.Errorf("got %d, %v, want %d", next, err, want)
			}
			if id, err := c.NextIDs(t.Context(), 1); err != nil || id != want {
				t.Errorf("the next ID is %d, %v, want %d", id, err, want)
			}
			if id, err := c.AddBlob(t.Context(), nil); err != nil || id != wantBlob {
				t.Errorf("the next blob is %d, %v, want %d", id, err, wantBlob)
			}
		})
	}
	const first, gap = earshot.FirstID, 1 << 20
	id := func(n int64) string { return fmt.Sprint(first + n) }
	f("empty catalog", 0, nil, first+gap, 1+gap)
	f("reverted sequence", 0, map[string]string{"sequence": id(10), "largesequence": "5"}, first+10+gap, 5+gap)
	f("unreadable sequence", 0, map[string]string{"sequence": "x", "team." + id(7): `{}`}, first+8+gap, 1+gap)
	f("highest ID in a key", 0, map[string]string{"sequence": id(3), "user." + id(70): `{}`, "large.9.0": "x"}, first+71+gap, 10+gap)
	f("unreadable record", 0, map[string]string{"monitor." + id(80): `{`}, first+81+gap, 1+gap)
	f("highest ID in a monitor", 0, map[string]string{"monitor." + id(1): `{"Filters":[{"ID":` + id(90) + `}],"Training":{"Documents":30}}`}, first+91+gap, 31+gap)
	f("category", 0, map[string]string{"monitor." + id(1): `{"Categories":[{"ID":` + id(90) + `}],"Emotions":[{"ID":` + id(95) + `}]}`}, first+96+gap, 1+gap)
	f("highest ID elsewhere", first+100, map[string]string{"user." + id(70): `{}`}, first+101+gap, 1+gap)
	f("derived ID", 0, map[string]string{"delivery." + fmt.Sprint(earshot.FirstDerivedID+5): `{}`, "user." + id(70): `{}`}, first+71+gap, 1+gap)
}
