package hook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
)

// maxWebhook is the maximum size of a body, in bytes, as Standard Webhooks recommends.
const maxWebhook = 20_000

// A webhookBody is what a webhook sends. It is the same in every attempt.
type webhookBody struct {
	Type      string          `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// webhookData is the data of a message that has none of its own.
type webhookData struct {
	Title    string           `json:"title"`
	Text     string           `json:"text"`
	Severity earshot.Severity `json:"severity"`
	Link     string           `json:"link"`
	Facts    []webhookFact    `json:"facts"`
	Posts    []webhookPost    `json:"posts"`
}

type webhookFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type webhookPost struct {
	Author string    `json:"author"`
	Source string    `json:"source"`
	Text   string    `json:"text"`
	URL    string    `json:"url"`
	Time   time.Time `json:"time,omitzero"`
}

// webhookRequest follows the Standard Webhooks specification.
func webhookRequest(to channel.Address, m channel.Outgoing, now time.Time) (request, error) {
	if len(to.Keys) == 0 { // receivers must be able to tell Earshot from others
		return request{}, errors.New("the webhook has no signing key; create a new one")
	}
	body, err := webhookContent(m)
	if err != nil {
		return request{}, err
	}
	h := http.Header{}
	timestamp := strconv.FormatInt(now.Unix(), 10)
	h.Set("webhook-id", m.ID)
	h.Set("webhook-timestamp", timestamp)
	var signatures []string
	for _, key := range to.Keys {
		s, err := sign(key, m.ID, timestamp, body)
		if err != nil {
			return request{}, err
		}
		signatures = append(signatures, s)
	}
	h.Set("webhook-signature", strings.Join(signatures, " "))
	authorize(h, to)
	return request{to.URL, h, body}, nil
}

func webhookContent(m channel.Outgoing) ([]byte, error) {
	b := webhookBody{Type: m.Event, Timestamp: m.Time.UTC(), Data: m.Data}
	data := webhookData{Title: m.Title, Text: m.Message.Text, Severity: m.Severity, Link: m.Link, Facts: []webhookFact{}, Posts: []webhookPost{}}
	for _, f := range m.Facts {
		data.Facts = append(data.Facts, webhookFact(f))
	}
	for _, p := range m.Posts {
		data.Posts = append(data.Posts, webhookPost{p.Author, p.Source, p.Text, p.URL, p.Time})
	}
	for {
		if len(b.Data) == 0 {
			var err error
			if b.Data, err = encode(data); err != nil {
				return nil, err
			}
		}
		body, err := encode(b)
		switch {
		case err != nil || len(body) <= maxWebhook:
			return body, err
		case len(data.Posts) > 0:
			data.Posts = data.Posts[:len(data.Posts)-1]
		case len(data.Text) > 0:
			data.Text = clipEscaped(data.Text, len(data.Text)/2, plain)
			if len(data.Text) < 100 {
				data.Text = ""
			}
		case len(data.Facts) > 0:
			data.Facts = data.Facts[:len(data.Facts)-1]
		default:
			return nil, errors.New("the message is too long")
		}
		b.Data = nil
	}
}

// keyPrefix is the prefix of a signing key in text form.
const keyPrefix = "whsec_"

// sign returns the signature of a webhook, with its version: HMAC-SHA256 of ID, timestamp and body.
func sign(key, id, timestamp string, body []byte) (string, error) {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, keyPrefix))
	if err != nil || len(secret) == 0 {
		return "", errors.New("the signing key is invalid; create a new one")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// webhookResult retries everything, because programs are repaired.
func webhookResult(r response) channel.Result { return refused(r, "") }
