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

// StreamsResult are what realtime streams take. Who uploads, who reads and the server are one
// process and share its cores and memory: results are of all of them together.
type StreamsResult struct {
	Streams int           `json:"streams"` // each post goes into one of them
	Read    *ReadResult   `json:"read,omitempty"`
	Unread  *UnreadResult `json:"unread,omitempty"`
	Many    *ManyResult   `json:"many,omitempty"`
}

// ReadResult are what it takes to get posts from an upload to readers who keep up with it.
type ReadResult struct {
	UploadResult
	OutPerSecond float64  `json:"outPerSecond"` // posts, from the first upload to the last post delivered
	LagSeconds   float64  `json:"lagSeconds"`   // from the response to the last upload to the last post delivered
	P50          float64  `json:"p50Ms"`        // from the response to the upload of a post to its delivery, waiting of the reader included
	P99          float64  `json:"p99Ms"`
	Max          float64  `json:"maxMs"`
	Delivery     Delivery `json:"delivery"`
	CPU          float64  `json:"cpuUs"`      // of this process for a post; 0 where that is unknown
	ResidentMB   float64  `json:"residentMb"` // the most there was, mapped files not counted
	QueueBytes   float64  `json:"queueBytes"` // on disk for a post in a stream
}

// UnreadResult are what posts cost that nobody reads for a while, and how fast they are taken
// when somebody does.
type UnreadResult struct {
	UploadResult
	CPU            float64    `json:"cpuUs"`   // of this process for a post
	QueueMB        float64    `json:"queueMb"` // on disk, of these posts
	Before         IdleResult `json:"before"`  // the server with nothing to do
	Waiting        IdleResult `json:"waiting"` // the same, with the posts waiting in streams
	TakenPerSecond float64    `json:"takenPerSecond"`
	Delivery       Delivery   `json:"delivery"`
}

// ManyResult are what streams cost that no post goes into.
type ManyResult struct {
	Streams      int        `json:"streams"`
	Monitors     int        `json:"monitors"`     // of each
	SetupSeconds float64    `json:"setupSeconds"` // making the monitors and streams, call by call
	Without      IdleResult `json:"without"`      // the server before, with their monitors
	With         IdleResult `json:"with"`         // and after
	UploadResult            // into the other streams, which nobody reads
	CPU          float64    `json:"cpuUs"` // of this process for a post; to be compared with that of unread
}

// UploadResult are how a paced upload went.
type UploadResult struct {
	Posts         int     `json:"posts"`
	PacePerSecond int     `json:"pacePerSecond"` // posts that were to be uploaded
	InPerSecond   float64 `json:"inPerSecond"`   // those that were, until the last was answered
	BehindSeconds float64 `json:"behindSeconds"` // how much later than planned an upload was begun, at most
	PaceKept      bool    `json:"paceKept"`      // that is less than a second
}

// Delivery says whether every post came once and in order.
type Delivery struct {
	Posts      int `json:"posts"`    // delivered
	Requests   int `json:"requests"` // of readers
	Missing    int `json:"missing"`
	Twice      int `json:"twice"`
	Disordered int `json:"disordered"` // not after those that were uploaded before, or otherwise than in another stream
}

const (
	streamCount = 100    // posts are for
	streamPace  = 20_000 // posts a second

	// What is uploaded without readers: so many parts of what is uploaded with them.
	unreadPart = 6
	manyPart   = 12
)

func measureStreams(ctx context.Context, s *session) (any, error) {
	if err := s.emptyDir(); err != nil {
		return nil, err
	}
	result := &StreamsResult{Streams: streamCount}
	s.logf("writing posts into a file")
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
	reading *http.Client // of the readers
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

// addStreams makes the streams, each with a monitor of its own that looks for its word.
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

// measureRead uploads posts while every stream has a reader.
func (b *streamBench) measureRead(ctx context.Context) (*ReadResult, error) {
	b.logf("uploading %d posts, %d a second, to %d streams with a reader each", b.count, streamPace, streamCount)
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

// times fills in how long it took until posts were delivered.
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

// queueBytes returns how many bytes the streams of a server have on disk.
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
