package natsfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// consumerDir is the directory with the consumers of a stream, one directory for each.
const consumerDir = "obs"

// damagedDir is where SetAsideConsumers moves damaged consumers.
const damagedDir = "damaged-consumers"

// SetAsideConsumers moves consumers with a damaged configuration out of the way, because the server
// would not open their streams. Only earlier versions have left consumers on disk; they are positions
// that nothing needs anymore. It returns the directories that it moved.
func SetAsideConsumers(dir string) (moved []string, err error) {
	streams, err := Streams(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range streams {
		entries, err := os.ReadDir(filepath.Join(s.dir, consumerDir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return moved, err
		}
		for _, e := range entries {
			from := filepath.Join(s.dir, consumerDir, e.Name())
			if !e.IsDir() || !isDamagedConsumer(s.Name, e.Name(), from) {
				continue
			}
			to := filepath.Join(dir, damagedDir, s.Name+"-"+e.Name())
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.RemoveAll(to), os.Rename(from, to)); err != nil {
				return moved, err
			}
			moved = append(moved, from)
		}
	}
	return moved, nil
}

// isDamagedConsumer reports whether the configuration of a consumer does not match its checksum. The
// server itself removes a consumer without a configuration.
func isDamagedConsumer(stream, consumer, dir string) bool {
	config, err := os.ReadFile(filepath.Join(dir, configFile))
	if err != nil {
		return false
	}
	sum, err := os.ReadFile(filepath.Join(dir, configSumFile))
	return err == nil && string(sum) != configSum(stream+"/"+consumer, config)
}
