package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/secret/vault"
	"earshot/internal/state/kv"
)

const (
	maxAnswers     = 1_000 // per user; each may have 64 KB
	answerLifetime = 24 * time.Hour

	// requestTimeout is the age at which a request without an answer may be repeated, because the
	// process that carried it out has died. It is longer than any request takes.
	requestTimeout = 15 * time.Minute
)

// Answers keeps the answers to requests that clients may repeat, for a day. An answer has the key
// answer.5.<hash>, where 5 is the user and the hash that of the key that the client chose. It is
// encrypted, because it may contain a secret, and is not kept in memory.
type Answers struct {
	Catalog *Catalog
	Vault   vault.Vault
}

// A keptAnswer is the decrypted value.
type keptAnswer struct {
	Request string // hash
	Begun   time.Time
	Answer  []byte // nil: the request is being carried out
}

func (k keptAnswer) isOver() bool {
	age := time.Since(k.Begun)
	return age >= answerLifetime || k.Answer == nil && age >= requestTimeout
}

// Begin returns the answer to a request with this key. If there is none, it returns nil, and the caller
// has to carry out the request and call End. The error is an [earshot.Conflict] if that has begun
// elsewhere, and [earshot.Unprocessable] if the key belongs to another request.
func (a *Answers) Begin(ctx context.Context, user earshot.UserID, key, request string) ([]byte, error) {
	e, err := a.Catalog.store.Get(ctx, answerKey(user, key))
	if errors.Is(err, ErrNotFound) {
		var keys []string
		if keys, err = a.Catalog.store.Keys(ctx, fmt.Sprintf("answer.%d.*", user)); err == nil && len(keys) >= maxAnswers {
			err = earshot.Errorf(earshot.OverLimit, "You have used the maximum of %d Idempotency-Keys in 24 hours. Please send the request without one", maxAnswers)
		}
	}
	if err != nil {
		return nil, err
	}
	switch kept := a.open(user, e.Value); {
	case kept.isOver():
		value, err := a.seal(user, keptAnswer{Request: request, Begun: time.Now()})
		if err == nil {
			_, err = a.Catalog.store.Put(ctx, answerKey(user, key), value, e.Revision)
		}
		if errors.Is(err, kv.ErrConflict) {
			err = errUnderWay
		}
		return nil, err
	case kept.Request != request:
		return nil, earshot.Errorf(earshot.Unprocessable, "The Idempotency-Key was used for another request. Please choose a new one")
	case kept.Answer == nil:
		return nil, errUnderWay
	default:
		return kept.Answer, nil
	}
}

var errUnderWay = &earshot.Error{Kind: earshot.Conflict, RetryAfter: time.Second,
	Message: "A request with this Idempotency-Key is being carried out. Please try again when it is finished"}

// End keeps the answer to a request. If it is nil, the request may be repeated.
func (a *Answers) End(ctx context.Context, user earshot.UserID, key, request string, answer []byte) error {
	if answer == nil {
		return a.Catalog.store.Purge(ctx, answerKey(user, key))
	}
	value, err := a.seal(user, keptAnswer{request, time.Now(), answer})
	if err == nil {
		_, err = a.Catalog.store.Set(ctx, answerKey(user, key), value)
	}
	return err
}

// Sweep removes answers that are over.
func (a *Answers) Sweep(ctx context.Context) error {
	keys, err := a.Catalog.store.Keys(ctx, "answer.*.*")
	for _, key := range keys {
		var user earshot.UserID
		if _, err := fmt.Sscanf(key, "answer.%d.", &user); err != nil {
			return fmt.Errorf("read key %s: %w", key, err)
		}
		e, err := a.Catalog.store.Get(ctx, key)
		if err == nil && a.open(user, e.Value).isOver() {
			err = a.Catalog.store.Purge(ctx, key)
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return err
}

func (a *Answers) seal(user earshot.UserID, k keptAnswer) ([]byte, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	return a.Vault.Seal(int64(user), string(text))
}

// open returns the zero value, which is over, if there is no value or the secret of the installation
// was replaced.
func (a *Answers) open(user earshot.UserID, value []byte) (k keptAnswer) {
	if text, err := a.Vault.Open(int64(user), value); err != nil || json.Unmarshal([]byte(text), &k) != nil {
		return keptAnswer{}
	}
	return k
}

func answerKey(user earshot.UserID, key string) string {
	sum := sha256.Sum256([]byte(key))
	return fmt.Sprintf("answer.%d.%x", user, sum[:16])
}
