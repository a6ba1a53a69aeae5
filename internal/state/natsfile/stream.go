package natsfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/minio/highwayhash"

	"earshot/internal/operate/integrity"
	"earshot/internal/state/acklog"
)

// InstallationKey is the key of the installation ID in the metadata of a stream.
const InstallationKey = "earshot.installation"

const (
	configFile    = "meta.inf"
	configSumFile = "meta.sum"
	blockDir      = "msgs"
	blockSuffix   = ".blk"
)

func streamsDir(dir string) string { return filepath.Join(dir, "jetstream", "$G", "streams") }

// StreamDir returns the directory of a stream.
func StreamDir(dir, stream string) string { return filepath.Join(streamsDir(dir), stream) }

// Open returns the stream with the given name, which need not exist.
func Open(dir, stream string) Stream { return Stream{Name: stream, dir: StreamDir(dir, stream)} }

// A Stream is the directory of a stream.
type Stream struct {
	Name string
	dir  string
}

// Streams lists the streams in the directory of a server, by name. There are none in a directory
// that no server has used yet.
func Streams(dir string) ([]Stream, error) {
	entries, err := os.ReadDir(streamsDir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var streams []Stream
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") { // the server removes those with a dot
			streams = append(streams, Open(dir, e.Name()))
		}
	}
	return streams, nil
}

// A config is the part of a stream's configuration that matters here.
type config struct {
	Name              string            `json:"name"`
	Subjects          []string          `json:"subjects"`
	MaxMsgsPerSubject int64             `json:"max_msgs_per_subject"`
	MaxAge            time.Duration     `json:"max_age"`
	Metadata          map[string]string `json:"metadata"`
}

// Properties returns which messages of a stream may disappear.
func (c *config) properties() acklog.Properties {
	wildcard := slices.ContainsFunc(c.Subjects, func(s string) bool { return strings.ContainsAny(s, "*>") && !isFence(s) })
	return acklog.Properties{
		MaxAge:     c.MaxAge.Truncate(time.Second),
		OnePerName: c.MaxMsgsPerSubject == 1,
		Contiguous: !wildcard && c.MaxMsgsPerSubject <= 0 && c.MaxAge == 0,
	}
}

// isFence reports whether a subject of a stream is that of fences. Their messages disappear only
// together with older ones.
func isFence(subject string) bool {
	return strings.HasSuffix(subject, ".fence.>") || strings.HasSuffix(subject, ".fencemark.>")
}

// Config returns the configuration of a stream as the server stores it, and the properties that
// follow from it. The error says what is damaged.
func (s Stream) Config() (data []byte, p acklog.Properties, err error) {
	data, c, err := s.config()
	if err != nil {
		return nil, p, err
	}
	return data, c.properties(), nil
}

func (s Stream) config() (data []byte, c config, err error) {
	data, err = os.ReadFile(filepath.Join(s.dir, configFile))
	if err != nil {
		return nil, c, err
	}
	sum, err := os.ReadFile(filepath.Join(s.dir, configSumFile))
	if err != nil {
		return nil, c, err
	}
	if string(sum) != configSum(s.Name, data) {
		return nil, c, fmt.Errorf("the checksum of %s does not match", configFile)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, c, fmt.Errorf("read %s: %w", configFile, err)
	}
	if c.Name != s.Name {
		return nil, c, fmt.Errorf("%s names the stream %.100q", configFile, c.Name)
	}
	return data, c, nil
}

// configSum returns the checksum of a configuration as the server stores it.
func configSum(stream string, data []byte) string {
	key := sha256.Sum256([]byte(stream))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		panic(err) // the key has the right length
	}
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

func (s Stream) blockPath(number uint64) string {
	return filepath.Join(s.dir, blockDir, strconv.FormatUint(number, 10)+blockSuffix)
}

// Read reads all blocks, calls visit with every intact record in the order of the files, and returns
// the damage. visit may be nil. Blocks that the server removes in the meantime are skipped.
func (s Stream) Read(ctx context.Context, progress integrity.Progress, visit func(Record)) ([]Damage, error) {
	blocks, err := s.blocks()
	if err != nil {
		return nil, err
	}
	var all []Damage
	for i, number := range blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := s.blockPath(number)
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			all = append(all, Damage{File: path, Problem: err.Error()})
			continue
		}
		r := reader{path: path, buf: b, hash: s.blockHash(number)}
		r.read(visit)
		if n := len(r.damage); n > 0 && i == len(blocks)-1 {
			last := &r.damage[n-1]
			last.Torn = last.Offset+last.Length == int64(len(b))
		}
		all = append(all, r.damage...)
		if progress != nil {
			progress(int64(len(b)))
		}
	}
	return all, nil
}

// blocks returns the numbers of the blocks in ascending order.
func (s Stream) blocks() ([]uint64, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, blockDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, e := range entries {
		name, isBlock := strings.CutSuffix(e.Name(), blockSuffix)
		if number, err := strconv.ParseUint(name, 10, 32); isBlock && err == nil {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// Size returns the total size of the blocks, in bytes.
func Size(dir string) (total int64, err error) {
	streams, err := Streams(dir)
	if err != nil {
		return 0, err
	}
	for _, s := range streams {
		blocks, err := s.blocks()
		if err != nil {
			return 0, err
		}
		for _, number := range blocks {
			if info, err := os.Stat(s.blockPath(number)); err == nil {
				total += info.Size()
			}
		}
	}
	return total, nil
}
