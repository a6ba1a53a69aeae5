package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The example of the reference implementations of Standard Webhooks. openssl computes the same
// signature.
const (
	exampleSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	exampleID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleTime      = 1614265330
	exampleBody      = `{"test": 2432232314}`
	exampleSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestVerify(t *testing.T) {
	const token = "0123456789abcdef"
	signed := func(id string, at int64, signature string) http.Header {
		return headers("webhook-id", id, "webhook-timestamp", fmt.Sprint(at), "webhook-signature", signature)
	}
	example := signed(exampleID, exampleTime, exampleSignature)
	tests := []struct {
		name    string
		secrets string
		header  http.Header
		body    string
		late    time.Duration
		want    string
	}{
		{"a token", token, headers("Authorization", "Bearer "+token), "x", 0, ""},
		{"the scheme in lowercase", token, headers("Authorization", "bearer  "+token), "x", 0, ""},
		{"the previous token", "another-token-that-is-new " + token, headers("Authorization", "Bearer "+token), "x", 0, ""},
		{"a signing secret as token", exampleSecret, headers("Authorization", "Bearer "+exampleSecret), "x", 0, ""},
		{"a wrong token", token, headers("Authorization", "Bearer "+token+"0"), "x", 0, wrongToken},
		{"the beginning of a token", token, headers("Authorization", "Bearer "+token[:15]), "x", 0, wrongToken},
		{"both tokens", "another-token-that-is-new " + token, headers("Authorization", "Bearer another-token-that-is-new "+token), "x", 0, wrongToken},
		{"an empty token", token, headers("Authorization", "Bearer "), "x", 0, wrongToken},
		{"another scheme", token, headers("Authorization", "Basic "+token), "x", 0, noProof},
		{"nothing", token, headers(), "x", 0, noProof},

		{"a signature", exampleSecret, example, exampleBody, 0, ""},
		{"a signature that is five minutes old", exampleSecret, example, exampleBody, 5 * time.Minute, ""},
		{"a signature from a clock five minutes ahead", exampleSecret, example, exampleBody, -5 * time.Minute, ""},
		{"several signatures", exampleSecret, signed(exampleID, exampleTime, "v1a,xyz v1,AAAA "+exampleSignature+" v2,x"), exampleBody, 0, ""},
		{"the previous secret", "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32)) + " " + exampleSecret, example, exampleBody, 0, ""},
		{"a signature next to a wrong token", exampleSecret, func() http.Header {
			h := example.Clone()
			h.Set("Authorization", "Bearer wrong")
			return h
		}(), exampleBody, 0, ""},
		{"an old signature", exampleSecret, example, exampleBody, 5*time.Minute + time.Second, wrongTime},
		{"a signature from the future", exampleSecret, example, exampleBody, -5*time.Minute - time.Second, wrongTime},
		{"another body", exampleSecret, example, exampleBody + " ", 0, wrongSignature},
		{"another ID", exampleSecret, signed(exampleID+"x", exampleTime, exampleSignature), exampleBody, 0, wrongSignature},
		{"another time", exampleSecret, signed(exampleID, exampleTime+1, exampleSignature), exampleBody, 0, wrongSignature},
		{"another version", exampleSecret, signed(exampleID, exampleTime, "v2"+exampleSignature[2:]), exampleBody, 0, wrongSignature},
		{"a signature without Base64", exampleSecret, signed(exampleID, exampleTime, "v1,!"), exampleBody, 0, wrongSignature},
		{"no ID", exampleSecret, signed("", exampleTime, exampleSignature), exampleBody, 0, wrongSignature},
		{"no time", exampleSecret, headers("webhook-id", exampleID, "webhook-signature", exampleSignature), exampleBody, 0, wrongSignature},
		{"another secret", "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32)), example, exampleBody, 0, wrongSignature},
		{"a token does not sign", token, signed(exampleID, exampleTime, sign([]byte(token), exampleID, exampleTime, exampleBody)), exampleBody, 0, wrongSignature},
		{"no key does not sign", "", signed(exampleID, exampleTime, sign(nil, exampleID, exampleTime, exampleBody)), exampleBody, 0, wrongSignature},
	}
	for _, tt := range tests {
		got := newVerifier(tt.secrets).verify(tt.header, []byte(tt.body), time.Unix(exampleTime, 0).Add(tt.late))
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// sign returns the signature of a request.
func sign(key []byte, id string, at int64, body string) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", id, at, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func TestCheckSecrets(t *testing.T) {
	f := func(secrets, want string) {
		t.Helper()
		got := ""
		if err := checkSecrets(secrets); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", secrets, got, want)
		}
	}
	f("0123456789abcdef", "")
	f(" 0123456789abcdef  "+exampleSecret+"\n", "")
	f("whsec_"+strings.TrimRight(base64.StdEncoding.EncodeToString(make([]byte, 32)), "="), "")
	f("", "set a secret: a token of at least 16 characters, or a signing secret such as whsec_ followed by the Base64 of 32 random bytes")
	f("short", "the token has 5 characters, but must have at least 16, so that it cannot be guessed")
	f("whsec_!", "the part of the secret after whsec_ is not Base64")
	f("whsec_AAAA", "the part of the secret after whsec_ has 3 bytes, but must have 24 to 64")
	f("0123456789abcdef 0123456789abcdeg 0123456789abcdeh", "the secret has 3 parts, but at most 2 are allowed: the current and the previous secret, separated by a space")
}
