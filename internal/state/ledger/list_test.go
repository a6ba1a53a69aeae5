package ledger

import (
	"reflect"
	"slices"
	"testing"

	"earshot"
)

func list(t *testing.T, l *Ledger) {
	const ann, bob, nobody = 1, 11, 111 // each ID is a prefix of the next one
	for _, id := range []earshot.ResultID{9, 100, 1<<53 - 1, 10, earshot.FirstID} {
		put(t, l, &Analysis{ID: id, User: ann}, 0)
	}
	put(t, l, &Analysis{ID: 50, User: bob}, 0)
	addPending(t, l, 60)

	wantList(t, l, ann, 0, 100, 1<<53-1, earshot.FirstID, 100, 10, 9)
	wantList(t, l, ann, 0, 2, 1<<53-1, earshot.FirstID)
	wantList(t, l, ann, earshot.FirstID, 2, 100, 10)
	wantList(t, l, ann, 10, 2, 9)
	wantList(t, l, ann, 9, 2)
	wantList(t, l, ann, 99, 1, 10)
	wantList(t, l, ann, 0, 0)
	wantList(t, l, bob, 0, 100, 50)
	wantList(t, l, nobody, 0, 100)
}

func listChanged(t *testing.T, l *Ledger) {
	want := fullAnalysis()
	put(t, l, want, put(t, l, &Analysis{ID: want.ID, User: want.User}, 0))
	got, err := l.List(t.Context(), want.User, 0, 10)
	if err != nil || !reflect.DeepEqual(got, []*Analysis{want}) {
		t.Errorf("List: got %+v, %v, want %+v", got, err, want)
	}
}

func listConflict(t *testing.T, l *Ledger) {
	put(t, l, &Analysis{ID: 1, User: 1}, 0)
	if _, err := l.Put(t.Context(), &Analysis{ID: 1, User: 2}, 0); err == nil {
		t.Error("a record was written twice")
	}
	if _, err := l.Put(t.Context(), &Analysis{ID: 2, User: 2}, 7); err == nil {
		t.Error("a record was written with a wrong revision")
	}
	wantList(t, l, 1, 0, 10, 1)
	wantList(t, l, 2, 0, 10)
}

func wantList(t *testing.T, l *Ledger, user earshot.UserID, before earshot.ResultID, limit int, want ...earshot.ResultID) {
	t.Helper()
	records, err := l.List(t.Context(), user, before, limit)
	var got []earshot.ResultID
	for _, r := range records {
		got = append(got, r.ID)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("List(%d) before %d, at most %d: got %v, %v, want %v", user, before, limit, got, err, want)
	}
}
