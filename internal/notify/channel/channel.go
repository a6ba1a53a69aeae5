// Package channel is the contract for sending a message to where people work. Package hook sends by
// HTTP: webhooks, Slack, Microsoft Teams, Discord and ntfy. Package email sends by SMTP.
//
// A [Sender] makes one attempt and reports what is known about it. When to try again, and whether it is
// safe to, is up to package delivery.
package channel

import (
	"context"
	"net/url"
	"strings"
	"time"

	"earshot"
)

// A Sender sends messages of one kind of channel. It is safe for concurrent use.
type Sender interface {
	// Send makes one attempt to send a message. Errors contain neither the URL nor other secrets of
	// the address, as far as the sender can tell. It returns soon after ctx is done.
	Send(ctx context.Context, to Address, m Outgoing) Result
}

// Silent is a [Sender] that sends nothing. Its value says why.
type Silent string

// Send rejects the message.
func (s Silent) Send(context.Context, Address, Outgoing) Result {
	return Result{Outcome: Rejected, Error: string(s)}
}

// An Address is where a message is sent, with the secrets that this needs.
type Address struct {
	URL        string
	Token      string   // bearer token
	Username   string   // of HTTP basic authentication
	Password   string   // of HTTP basic authentication
	Keys       []string // that sign a webhook, in text form; all of them sign
	Recipients []string // of an email
}

// An Outgoing is a message that is being sent.
type Outgoing struct {
	ID      string    // the same in every attempt, for example msg_4503599627370497
	Time    time.Time // when it was created
	Channel string    // name of the channel
	Link    string    // URL of the page that it is about; empty: none
	Manage  string    // URL of the page where the channel can be changed; empty: none
	Text    string    // what the channel's template made of the message; empty: it has none
	First   string    // ID of the first message of the thread; empty or ID: this one

	earshot.Message
}

// A Result is what happened to an attempt.
type Result struct {
	Outcome Outcome
	Status  int           // of the HTTP response; 0: none
	Error   string        // for people; if the message was sent, who did not get it
	Wait    time.Duration // the receiver asks to wait before the next message; 0: it does not

	// Deferred has the recipients of an email to try again, because some of them were refused for now.
	// The other recipients have the message.
	Deferred []string
}

// An Outcome is what is known after an attempt.
type Outcome int

const (
	// Sent means that the receiver has accepted the message.
	Sent Outcome = iota + 1
	// Refused means that the message did not arrive, and may be sent again: there was no connection,
	// or the receiver said so.
	Refused
	// Rejected means that the receiver does not want this message, now or later.
	Rejected
	// Gone means that the address does not exist anymore.
	Gone
	// Unknown means that the message may have arrived: the connection ended before a response.
	Unknown
)

// Intervals between two messages to the same address, as the services ask for.
var Intervals = map[earshot.ChannelKind]time.Duration{
	earshot.SlackChannel:   time.Second,
	earshot.TeamsChannel:   time.Second / 4,
	earshot.DiscordChannel: time.Second / 2, // and what its responses ask for
	earshot.NtfyChannel:    time.Second,
	earshot.EmailChannel:   time.Second,
}

// SplitTopic returns the address of the server and the topic of an ntfy URL.
func SplitTopic(u *url.URL) (server, topic string) {
	path := strings.TrimRight(u.Path, "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", ""
	}
	root := *u
	root.Path, root.RawPath, root.RawQuery = path[:i+1], "", ""
	return root.String(), path[i+1:]
}
