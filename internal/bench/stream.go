package bench

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"runtime"

	"earshot"
)

// A StreamsResult is the cost of realtime streams. Uploaders, readers and the server are one
// process and share its cores and memory, so the results are for all of them together.
type StreamsResult struct {
	Streams int           `json:"streams"` // each post goes into one of them
	Read    *ReadResult   `json:"read,omitempty"`
	Unread  *UnreadResult `json:"unread,omitempty"`
	Many    *ManyResult   `json:"many,omitempty"`
}

// A ReadResult is the cost of delivering posts from an upload to readers that keep up.
type ReadResult struct {
	UploadResult
	OutPerSecond float64  `json:"outPerSecond"` // from the first upload to the delivery of the last post
	LagSeconds   float64  `json:"lagSeconds"`   // from the last upload's response to the last delivery
	P50          float64  `json:"p50Ms"`        // from the response to a post's upload to its delivery
	P99          float64  `json:"p99Ms"`
	Max          float64  `json:"maxMs"`
	Delivery     Delivery `json:"delivery"`
	CPU          float64  `json:"cpuUs"`      // of this process per post; 0 if unknown
	ResidentMB   float64  `json:"residentMb"` // peak, without mapped files
	QueueBytes   float64  `json:"queueBytes"` // on disk per post in a stream
}

// An UnreadResult is the cost of posts that remain unread for a while, and how fast they are then
// delivered.
type UnreadResult struct {
	UploadResult
	CPU            float64    `json:"cpuUs"`   // of this process per post
	QueueMB        float64    `json:"queueMb"` // on disk, for these posts
	Before         IdleResult `json:"before"`  // the idle server
	Waiting        IdleResult `json:"waiting"` // the idle server with the posts in its streams
	TakenPerSecond float64    `json:"takenPerSecond"`
	Delivery       Delivery   `json:"delivery"`
}

// A ManyResult is the cost of streams that receive no posts.
type ManyResult struct {
	Streams      int        `json:"streams"`
	Monitors     int        `json:"monitors"`     // per stream
	SetupSeconds float64    `json:"setupSeconds"` // to create the monitors and streams with one call each
	Without      IdleResult `json:"without"`      // the server before, with their monitors
	With         IdleResult `json:"with"`         // the server after
	UploadResult            // into the other streams, which are not read
	CPU          float64    `json:"cpuUs"` // of this process per post, for comparison with unread
}

// An UploadResult describes a paced upload.
type UploadResult struct {
	Posts         int     `json:"posts"`
	PacePerSecond int     `json:"pacePerSecond"` // planned posts per second
	InPerSecond   float64 `json:"inPerSecond"`   // actual posts per second, until the last response
	BehindSeconds float64 `json:"behindSeconds"` // maximum delay of an upload relative to its plan
	PaceKept      bool    `json:"paceKept"`      // whether that is less than a second
}

// Delivery shows whether every post was delivered once and in order.
type Delivery struct {
	Posts      int `json:"posts"`    // number delivered
	Requests   int `json:"requests"` // requests by readers
	Missing    int `json:"missing"`
	Twice      int `json:"twice"`
	Disordered int `json:"disordered"` // out of upload order, or ordered unlike in another stream
}

const (
	streamCount = 100    // streams that receive posts
	streamPace  = 20_000 // posts per second

	// Without readers, only this fraction of the posts is uploaded: one in unreadPart or manyPart.
	unreadPart = 6
	manyPart   = 12
)

func measureStreams(ctx context.Context, s *session) (any, error) {
	if err := s.emptyDir(); err != nil {
		return nil, err
	}
	result := &StreamsResult{Streams: streamCount}
	s.logf("writing posts to a file")
	uploads, err := s.writeWorkloads(ctx, s.count, max(s.count/unreadPart, 1), max(s.count/manyPart, 1))
	if err != nil {
		return nil, err
	}
	defer uploads.close()
	if s.serve == nil {
		return result, nil
	}
	s.freeSample()
	runtime.GOMAXPROCS(s.cpus)
	v, err := s.listen(ctx, s.serverDir())
	if err != nil {
		return nil, err
	}
	defer v.close()
	b := &streamBench{runningServer: v, uploads: uploads, reading: newHTTP(streamCount)}
	defer b.reading.CloseIdleConnections()
	return result, b.measure(ctx, result)
}

// A streamBench is a server with streams.
type streamBench struct {
	*runningServer
	uploads *uploadFile
	team    earshot.TeamID
	streams []earshot.StreamID
	reading *http.Client // used by the readers
}

func (b *streamBench) measure(ctx context.Context, f *StreamsResult) (err error) {
	if err := b.addStreams(ctx); err != nil {
		return fmt.Errorf("add streams: %w", err)
	}
	if f.Read, err = b.measureRead(ctx); err != nil {
		return err
	}
	if f.Unread, err = b.measureUnread(ctx); err != nil {
		return err
	}
	f.Many, err = b.measureMany(ctx)
	return err
}

// addStreams creates the streams, each with its own monitor that searches for the stream's word.
func (b *streamBench) addStreams(ctx context.Context) (err error) {
	if b.team, err = b.addTeam(ctx, "Streams"); err != nil {
		return err
	}
	words := make([]string, streamCount)
	for k := range words {
		words[k] = streamWord(k)
	}
	monitors, err := b.addMonitors(ctx, b.team, words)
	if err != nil {
		return err
	}
	b.streams, err = b.addStreamsOf(ctx, b.team, streamCount, func(k int) []earshot.MonitorID { return monitors[k : k+1] })
	return err
}

// measureRead uploads posts while each stream has a reader.
func (b *streamBench) measureRead(ctx context.Context) (*ReadResult, error) {
	b.logf("uploading %d posts at %d per second to %d streams with one reader each", b.count, streamPace, streamCount)
	w := watchMemory()
	cpu := processorTime()
	flow := newTransfer(b.uploads.workloads[0])
	readers := newReaders(b, flow, reader{cursor: firstCursor, every: pollEvery})
	upload, err := b.transfer(ctx, flow, readers)
	peak := w.stop()
	if err != nil {
		return nil, err
	}
	f := &ReadResult{
		UploadResult: upload,
		Delivery:     newDelivery(flow, readers),
		CPU:          microseconds(processorTime()-cpu, flow.posts),
		ResidentMB:   megabytes(peak),
	}
	f.times(flow, readers)
	bytes, err := queueBytes(b.serverDir())
	f.QueueBytes = math.Round(float64(bytes) / float64(flow.posts))
	return f, err
}

// times sets the delivery times.
func (f *ReadResult) times(of *transfer, readers []*reader) {
	var all Times
	for _, r := range readers {
		all = append(all, r.times...)
	}
	last := of.lastDelivered(readers)
	f.OutPerSecond = perSecond(len(all), last)
	f.LagSeconds = max(last-of.lastUploaded(), 0).Seconds()
	if len(all) > 0 {
		f.P50, f.P99, f.Max = Milliseconds(all.Quantile(0.5)), Milliseconds(all.Quantile(0.99)), Milliseconds(all.Quantile(1))
	}
}

// queueBytes returns the size of a server's streams on disk.
func queueBytes(server string) (int64, error) {
	dirs, err := filepath.Glob(filepath.Join(server, "nats", "jetstream", "*", "streams"))
	if err != nil {
		return 0, err
	}
	var bytes int64
	for _, dir := range dirs {
		of, err := sizes(dir)
		if err != nil {
			return 0, err
		}
		bytes += of["REALTIME"]
	}
	return bytes, nil
}
