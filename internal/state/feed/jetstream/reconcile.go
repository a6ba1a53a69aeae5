package jetstream

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
)

// Position implements feed.Feed.
func (f *Feed) Position(ctx context.Context) (earshot.Position, bool, error) {
	p, err := f.readProgress(ctx)
	if err != nil || p.Position == nil {
		return 0, false, err
	}
	return *p.Position, true, nil
}

// Reconcile implements feed.Feed. The last message of all queues has the highest position, even if
// a crash prevented the progress from being written.
func (f *Feed) Reconcile(ctx context.Context, last earshot.Position) error {
	p, err := f.readProgress(ctx)
	if err != nil {
		return err
	}
	appended, err := f.lastAppended(ctx, p.Epoch)
	if err != nil {
		return fmt.Errorf("find the last position of streams: %w", err)
	}
	if p.Position != nil {
		appended = max(appended, *p.Position)
	}
	if appended > last {
		if err := f.writeProgress(ctx, progress{Epoch: p.Epoch + 1, Jumps: p.Jumps}); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if appended <= last {
		f.progress = p // another process may have written it
	}
	clear(f.tails)
	return nil
}

// lastAppended returns the position in the header of the last message, or 0 if that message belongs
// to another epoch.
func (f *Feed) lastAppended(ctx context.Context, epoch uint64) (earshot.Position, error) {
	data, err := f.lastMessage(ctx)
	if err != nil || data == nil {
		return 0, err
	}
	h, err := feed.DecodeHeader(data)
	if err != nil || h.Epoch != epoch {
		return 0, err
	}
	return h.UpTo, nil
}

// lastMessage returns the last message of any queue, or nil. It sends its own request, because the
// client library does not allow the wildcard.
func (f *Feed) lastMessage(ctx context.Context) ([]byte, error) {
	var response struct {
		Message struct {
			Data []byte `json:"data"`
		} `json:"message"`
		Error *jetstream.APIError `json:"error"`
	}
	err := f.node.Retry(ctx, func(ctx context.Context) error {
		reply, err := f.node.Conn().RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+messageStream, []byte(`{"last_by_subj":"`+messageSubject+`*"}`))
		if err != nil {
			return err
		}
		response.Error = nil
		if err := json.Unmarshal(reply.Data, &response); err != nil {
			return err
		}
		if response.Error != nil && response.Error.ErrorCode != jetstream.JSErrCodeMessageNotFound {
			return response.Error
		}
		return nil
	})
	return response.Message.Data, err
}
