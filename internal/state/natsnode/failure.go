package natsnode

import (
	"context"
	"errors"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
)

// ErrConflict says that the message was to follow another than the last one.
var ErrConflict = errors.New("natsnode: not the expected last message")

// Codes of the server that the client library does not name.
const (
	codeAccountFull      jetstream.ErrorCode = 10002
	codeNoPeers          jetstream.ErrorCode = 10005
	codeNotAvailable     jetstream.ErrorCode = 10008
	codeNotLeader        jetstream.ErrorCode = 10009
	codeInsufficient     jetstream.ErrorCode = 10023
	codeStorageFull      jetstream.ErrorCode = 10047
	codeStreamNotMade    jetstream.ErrorCode = 10049
	codeStoreFailed      jetstream.ErrorCode = 10077
	codeIDInProcess      jetstream.ErrorCode = 10158
	codeBatchIncomplete  jetstream.ErrorCode = 10176
	codeBatchIsDuplicate jetstream.ErrorCode = 10201
	codeTooManyBatches   jetstream.ErrorCode = 10210
)

// TranslateError turns an error of the server or the connection into one that the
// caller of the service may read, StorageFull or Unavailable, or into ErrConflict.
// Other errors, a cancelled context's among them, come back as they are.
func (n *Node) TranslateError(err error) error {
	var known *earshot.Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case isConflict(err):
		return ErrConflict
	case isFull(err):
		return storageFull(err)
	case isTransient(err), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrConnectionDraining):
		// A server that cannot write does not say so, it falls silent.
		if low := n.room(); low != nil {
			return low
		}
		return &earshot.Error{
			Kind:    earshot.Unavailable,
			Message: "The storage service does not answer. Please try again in a moment",
			Err:     err,
		}
	}
	return err
}

// reservedBytes is how much of the disk is left alone. A server that meets the end of
// the disk in the middle of a write stops until it is restarted, so writes are
// refused before that.
const reservedBytes = 64 << 20

// room returns a StorageFull error when the embedded server's disk is nearly full.
func (n *Node) room() error { return n.CheckFreeSpace(0) }

// CheckFreeSpace returns a StorageFull error when the embedded server's disk would be nearly full
// with so many more bytes on it.
func (n *Node) CheckFreeSpace(bytes int64) error {
	if n.free == nil {
		return nil
	}
	if left, err := n.free(); err == nil && left < reservedBytes+bytes {
		return storageFull(nil)
	}
	return nil
}

func storageFull(cause error) error {
	return &earshot.Error{
		Kind:    earshot.StorageFull,
		Message: "The disk is full. Free some space or add storage, then try again",
		Err:     cause,
	}
}

// isTransient reports whether a repeat may succeed, perhaps on another server.
// The fate of what was tried is unknown.
func isTransient(err error) bool {
	for _, e := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting, nats.ErrStaleConnection,
		jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return hasCode(err, codeNoPeers, codeNotAvailable, codeNotLeader, codeStreamNotMade, codeIDInProcess, codeBatchIncomplete, codeTooManyBatches)
}

func isFull(err error) bool {
	return hasCode(err, codeAccountFull, codeInsufficient, codeStorageFull, codeStoreFailed)
}

func isConflict(err error) bool {
	return hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func hasCode(err error, codes ...jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode)
}
