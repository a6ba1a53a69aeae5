package earshot

import (
	"encoding/json"
	"time"
)

// Limits on channels and what is sent to them.
const (
	MaxChannels   = 100 // per team
	MaxDeliveries = 200 // finished ones kept per channel
	MaxRecipients = 50  // of an email channel
)

// A Channel is where notifications and reports are sent.
type Channel struct {
	ID     ChannelID
	Team   TeamID
	Name   string
	Kind   ChannelKind
	Target string // what people see of the destination: recipients, or the host of a URL
	Secret []byte // encrypted: URL, token, signing keys

	Recipients []string // of email
	Template   string   // of the message's text; empty: the standard one
	PerHour    int      // maximum number of messages per hour; 0: the default

	Disabled       time.Time // zero: enabled
	DisabledReason string    // why Earshot disabled it; empty if a person did

	Edits     int64
	CreatedBy string
	Created   time.Time
	EditedBy  string
	Edited    time.Time
}

// A ChannelKind is the service that a channel sends to.
type ChannelKind string

const (
	EmailChannel   ChannelKind = "email"
	WebhookChannel ChannelKind = "webhook" // standardwebhooks.com
	SlackChannel   ChannelKind = "slack"
	TeamsChannel   ChannelKind = "teams" // workflows of Microsoft Teams
	DiscordChannel ChannelKind = "discord"
	NtfyChannel    ChannelKind = "ntfy"
)

// ChannelKinds lists every kind.
var ChannelKinds = []ChannelKind{EmailChannel, WebhookChannel, SlackChannel, TeamsChannel, DiscordChannel, NtfyChannel}

// A Notification is a message for some channels. Sending the same Key to a channel again has no
// effect.
type Notification struct {
	Key       string // what happened, for example "signal.7.2" for the second event of signal 7
	Team      TeamID
	Channels  []ChannelID
	NotBefore time.Time // zero: now
	Message   Message
}

// A Message is what a channel says. Each kind of channel shows as much of it as it can.
type Message struct {
	Event    string // signal.fired, signal.updated, signal.resolved, report.ready or channel.test
	Severity Severity
	Title    string
	Text     string
	Facts    []Fact
	Posts    []MessagePost
	Path     string          // page of the web app, for example /signals/7
	Thread   string          // messages with the same thread belong together
	Data     json.RawMessage `json:",omitzero"` // what a webhook sends; without the tag, a stored nil would be read as "null"

	// Report and Period identify a scheduled report, whose contents are rendered when it is sent.
	Report ReportID
	Period string

	HTML        string       `json:"-"` // of an email
	Attachments []Attachment `json:"-"`
}

// A Fact is a labeled value in a message.
type Fact struct{ Name, Value string }

// A MessagePost is a post that a message quotes. Author, Text and Time are empty if the source is
// restricted.
type MessagePost struct {
	Key                       PostKey
	Author, Text, Source, URL string
	Time                      time.Time
}

// An Attachment is a file of an email. One with a ContentID is shown within its HTML.
type Attachment struct {
	Name      string
	Type      string
	ContentID string
	Data      []byte
}

// A Delivery is a notification for one channel, and what happened to it.
type Delivery struct {
	ID      DeliveryID // derived from the channel and the key
	Team    TeamID
	Channel ChannelID
	Key     string // of the notification
	Message Message

	// If a channel receives more messages than it may send, one message summarizes them.
	Summary DeliveryID   // the delivery that summarizes this one; 0: none
	Members []DeliveryID // what this delivery summarizes

	// Recipients of an email who still have to get it, because the mail server refused them for now.
	// Empty: all recipients of the channel.
	Recipients []string

	State    DeliveryState
	Attempts int
	Created  time.Time
	Next     time.Time // of the next attempt
	Began    time.Time // the current or last attempt
	Finished time.Time
	Error    string // of the last attempt
	Status   int    // HTTP status of the last attempt; 0: none
}

// A DeliveryState is where a delivery stands.
type DeliveryState string

const (
	DeliveryWaiting     DeliveryState = "waiting"     // for the first or next attempt
	DeliverySending     DeliveryState = "sending"     // written before anything is sent
	DeliverySent        DeliveryState = "sent"        // the receiver has confirmed it
	DeliveryFailed      DeliveryState = "failed"      // no more attempts
	DeliveryInterrupted DeliveryState = "interrupted" // Earshot stopped while sending; nobody knows whether it arrived
	DeliverySummarized  DeliveryState = "summarized"  // part of another delivery
)
