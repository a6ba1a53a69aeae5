package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how much the timestamp of a signed request may differ from our clock.
const tolerance = 5 * time.Minute

// Limits of secrets. The length of signing secrets comes from the Standard Webhooks specification.
const (
	maxSecrets   = 2 // the current one, and the previous or next one
	minToken     = 16
	minSecret    = 24 // bytes of a signing secret
	maxSecret    = 64
	secretPrefix = "whsec_"
)

// checkSecrets returns a user-facing error unless the text contains one or two valid secrets.
func checkSecrets(text string) error {
	secrets := strings.Fields(text)
	switch {
	case len(secrets) == 0:
		return errors.New("set a secret: a token of at least 16 characters, or a signing secret such as whsec_ followed by the Base64 of 32 random bytes")
	case len(secrets) > maxSecrets:
		return fmt.Errorf("the secret has %d parts, but at most %d are allowed: the current and the previous secret, separated by a space", len(secrets), maxSecrets)
	}
	for _, s := range secrets {
		key, signing, err := signingKey(s)
		switch {
		case err != nil:
			return errors.New("the part of the secret after whsec_ is not Base64")
		case signing && (len(key) < minSecret || len(key) > maxSecret):
			return fmt.Errorf("the part of the secret after whsec_ has %d bytes, but must have %d to %d", len(key), minSecret, maxSecret)
		case !signing && len(s) < minToken:
			return fmt.Errorf("the token has %d characters, but must have at least %d, so that it cannot be guessed", len(s), minToken)
		}
	}
	return nil
}

// signingKey returns the key of a signing secret. It reports whether a secret is one.
func signingKey(secret string) (key []byte, signing bool, err error) {
	encoded, signing := strings.CutPrefix(secret, secretPrefix)
	if !signing {
		return nil, false, nil
	}
	key, err = base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		key, err = base64.RawStdEncoding.DecodeString(encoded)
	}
	return key, true, err
}

// A verifier authenticates requests from senders that know one of the secrets.
type verifier struct {
	tokens [][sha256.Size]byte // hashes, which have the same length
	keys   [][]byte
}

// newVerifier returns a verifier for secrets that [checkSecrets] accepts.
func newVerifier(secrets string) verifier {
	var v verifier
	for _, s := range strings.Fields(secrets) {
		v.tokens = append(v.tokens, sha256.Sum256([]byte(s)))
		if key, signing, err := signingKey(s); signing && err == nil {
			v.keys = append(v.keys, key)
		}
	}
	return v
}

// Reasons why a request is refused, as counted.
const (
	noProof        = "request without a token or signature"
	wrongToken     = "request with a wrong token"
	wrongSignature = "request with a wrong signature"
	wrongTime      = "request whose timestamp is more than 5 minutes off"
)

// verify returns "" if the sender of a request knows a secret, and otherwise the reason for rejecting
// it. It takes the same time no matter which secret is wrong and how much of it is right.
func (v verifier) verify(h http.Header, body []byte, now time.Time) (refusal string) {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	bearer, signatures := strings.EqualFold(scheme, "Bearer"), h.Get("webhook-signature")
	switch {
	case bearer && v.hasToken(strings.TrimSpace(token)):
		return ""
	case signatures == "" && bearer:
		return wrongToken
	case signatures == "":
		return noProof
	}
	id, timestamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" {
		return wrongSignature
	}
	if off := now.Sub(time.Unix(seconds, 0)).Abs(); off > tolerance {
		return wrongTime
	}
	if !v.signed(signatures, id+"."+timestamp+".", body) {
		return wrongSignature
	}
	return ""
}

func (v verifier) hasToken(token string) bool {
	hash := sha256.Sum256([]byte(token))
	found := 0
	for _, want := range v.tokens {
		found |= subtle.ConstantTimeCompare(hash[:], want[:])
	}
	return found == 1
}

// maxSignatures bounds the work for a header with many signatures.
const maxSignatures = 10

// signed reports whether one of the signatures in a header is valid for a prefix and the body.
func (v verifier) signed(header, prefix string, body []byte) bool {
	given := strings.Fields(header)
	valid := false
	for _, key := range v.keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(prefix))
		mac.Write(body)
		want := mac.Sum(nil)
		for _, signature := range given[:min(len(given), maxSignatures)] {
			version, encoded, _ := strings.Cut(signature, ",")
			got, err := base64.StdEncoding.DecodeString(encoded)
			if version == "v1" && err == nil && hmac.Equal(got, want) {
				valid = true
			}
		}
	}
	return valid
}
