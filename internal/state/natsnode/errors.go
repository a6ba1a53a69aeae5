package natsnode

import (
	"context"
	"errors"
	"slices"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
)

// ErrConflict means that the last message of a stream or subject is not the expected one.
var ErrConflict = errors.New("natsnode: unexpected last message")

// Server error codes that the client library does not define.
const (
	codeAccountFull      jetstream.ErrorCode = 10002
	codeNoPeers          jetstream.ErrorCode = 10005
	codeNotAvailable     jetstream.ErrorCode = 10008
	codeNotLeader        jetstream.ErrorCode = 10009
	codeInsufficient     jetstream.ErrorCode = 10023
	codeNotClusterMember jetstream.ErrorCode = 10044
	codeStorageFull      jetstream.ErrorCode = 10047
	codeStreamNotMade    jetstream.ErrorCode = 10049
	codeStoreFailed      jetstream.ErrorCode = 10077
	codeIDInProcess      jetstream.ErrorCode = 10158
	codeBatchIncomplete  jetstream.ErrorCode = 10176
	codeBatchIsDuplicate jetstream.ErrorCode = 10201
	codeMemberChange     jetstream.ErrorCode = 10202
	codeTooManyBatches   jetstream.ErrorCode = 10210
)

// TranslateError turns an error of the server or the connection into one that users may see,
// StorageFull or Unavailable, or into ErrConflict. It returns other errors unchanged, including
// that of a canceled context.
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
		// A server that cannot write does not respond.
		if err := n.CheckFreeSpace(0); err != nil {
			return err
		}
		return &earshot.Error{
			Kind:    earshot.Unavailable,
			Message: "The storage service does not respond. Please try again in a moment",
			Err:     err,
		}
	}
	return err
}

// reservedBytes is the free space that writes must leave. A server that runs out of disk space
// during a write stops until it is restarted, so writes are rejected before that happens.
const reservedBytes = 64 << 20

// CheckFreeSpace returns a StorageFull error if writing this many bytes would leave the embedded
// server's disk nearly full.
func (n *Node) CheckFreeSpace(bytes int64) error {
	if n.freeSpace == nil {
		return nil
	}
	if free, err := n.freeSpace(); err == nil && free < reservedBytes+bytes {
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

// isTransient reports whether a retry may succeed, perhaps on another server. The failed request
// may have been executed.
func isTransient(err error) bool {
	for _, e := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected,
		nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting, nats.ErrStaleConnection,
		jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled, errNoQuorum,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return hasCode(err, codeNoPeers, codeNotAvailable, codeNotLeader, codeStreamNotMade, codeIDInProcess, codeBatchIncomplete, codeMemberChange, codeTooManyBatches)
}

func isFull(err error) bool {
	return hasCode(err, codeAccountFull, codeInsufficient, codeStorageFull, codeStoreFailed) || errors.Is(err, syscall.ENOSPC)
}

func isConflict(err error) bool {
	return hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func hasCode(err error, codes ...jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode)
}
