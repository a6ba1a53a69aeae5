package catalog_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/secret/vault"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// answersOf returns the answers in a store as a process with this secret sees them.
func answersOf(t *testing.T, store kv.Store, secret string) *catalog.Answers {
	return &catalog.Answers{Catalog: open(t, store), Vault: vault.Vault{Key: []byte(secret), Purpose: "test"}}
}

// wantAnswer checks what Begin returns: an answer, "" if the request is to be carried out, or an error.
func wantAnswer(t *testing.T, a *catalog.Answers, user earshot.UserID, key, request, answer string, kind earshot.Kind) {
	t.Helper()
	got, err := a.Begin(t.Context(), user, key, request)
	if string(got) != answer || (kind == 0) != (err == nil) || kind != 0 && !earshot.IsKind(err, kind) {
		t.Errorf("user %d, key %s, request %s: got %q, %v, want %q, kind %d", user, key, request, got, err, answer, kind)
	}
}

func end(t *testing.T, a *catalog.Answers, key, request string, answer []byte) {
	t.Helper()
	if err := a.End(t.Context(), 5, key, request, answer); err != nil {
		t.Fatal(err)
	}
}

func TestAnAnswerIsKeptForADayOnAllNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		a := answersOf(t, store, "secret")
		wantAnswer(t, a, 5, "k", "create", "", 0)
		b := answersOf(t, store, "secret") // another node, or after a restart
		wantAnswer(t, b, 5, "k", "create", "", earshot.Conflict)
		wantAnswer(t, b, 5, "k", "other", "", earshot.Unprocessable)
		end(t, a, "k", "create", []byte("created"))
		wantAnswer(t, b, 5, "k", "create", "created", 0)
		wantAnswer(t, b, 5, "k", "other", "", earshot.Unprocessable)
		wantAnswer(t, b, 6, "k", "other", "", 0)

		time.Sleep(24*time.Hour - time.Second) // virtual time
		wantAnswer(t, b, 5, "k", "create", "created", 0)
		time.Sleep(time.Second)
		wantAnswer(t, b, 5, "k", "other", "", 0)
		wantAnswer(t, a, 5, "k", "other", "", earshot.Conflict)
	})
}

func TestARequestWithoutAnAnswerMayBeRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := answersOf(t, kv.NewMemory(), "secret")
		wantAnswer(t, a, 5, "failed", "create", "", 0)
		end(t, a, "failed", "create", nil)
		wantAnswer(t, a, 5, "failed", "other", "", 0)

		wantAnswer(t, a, 5, "crashed", "create", "", 0)
		time.Sleep(15*time.Minute - time.Second) // virtual time
		wantAnswer(t, a, 5, "crashed", "create", "", earshot.Conflict)
		time.Sleep(time.Second)
		wantAnswer(t, a, 5, "crashed", "create", "", 0)
		wantAnswer(t, a, 5, "crashed", "create", "", earshot.Conflict)
	})
}

// racing lets another process begin a request at the same time.
type racing struct {
	kv.Store
	other *catalog.Answers
}

func (s *racing) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if other := s.other; other != nil {
		s.other = nil
		if _, err := other.Begin(ctx, 5, "k", "create"); err != nil {
			return 0, err
		}
	}
	return s.Store.Put(ctx, key, value, revision)
}

func TestOnlyOneOfTwoProcessesCarriesOutARequest(t *testing.T) {
	store := kv.NewMemory()
	a := answersOf(t, &racing{store, answersOf(t, store, "secret")}, "secret")
	wantAnswer(t, a, 5, "k", "create", "", earshot.Conflict)
}

func TestAUserHasAMaximumOfAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := answersOf(t, kv.NewMemory(), "secret")
		for i := range 1000 {
			wantAnswer(t, a, 5, fmt.Sprint(i), "create", "", 0)
			end(t, a, fmt.Sprint(i), "create", []byte("created"))
		}
		wantAnswer(t, a, 5, "more", "create", "", earshot.OverLimit)
		wantAnswer(t, a, 5, "7", "create", "created", 0)
		wantAnswer(t, a, 6, "more", "create", "", 0)

		time.Sleep(23 * time.Hour) // virtual time
		if err := a.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantAnswer(t, a, 5, "more", "create", "", earshot.OverLimit)
		time.Sleep(time.Hour)
		if err := a.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantAnswer(t, a, 5, "more", "create", "", 0)
	})
}

func TestAnswersAreEncrypted(t *testing.T) {
	store := kv.NewMemory()
	a := answersOf(t, store, "secret")
	wantAnswer(t, a, 5, "k", "create", "", 0)
	end(t, a, "k", "create", []byte("whsec_AAAA"))
	entries, err := catalog.Dump(t.Context(), store)
	if err != nil || len(entries) != 1 || bytes.Contains(entries[0].Value, []byte("whsec_AAAA")) || bytes.Contains(entries[0].Value, []byte("create")) {
		t.Errorf("got %v, %v, want one encrypted entry", entries, err)
	}
	wantAnswer(t, answersOf(t, store, "another secret"), 5, "k", "create", "", 0)
}
