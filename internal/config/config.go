// Package config holds the settings of the service and their defaults.
//
// Every setting has one name. rate_limit in the configuration file is
// EARSHOT_RATE_LIMIT in the environment and --rate-limit on the command line;
// retention.journal is EARSHOT_RETENTION_JOURNAL and --retention-journal;
// the command line goes before the environment, and that before the file. The
// table in settings.go drives all three, the help text, and what Print prints.
package config

import (
	"path/filepath"

	"earshot"
)

// Config are the settings. New and Load make valid ones.
type Config struct {
	Data   string // directory of everything that is kept
	Listen string // host:port

	RateLimit         int // requests a minute and user, 0: no limit
	Compat            string
	RestrictedSources []earshot.Source

	LogLevel  string // debug, info, warn or error
	LogFormat string // text or json

	NATSURL         string // empty: a server inside the process
	NATSCredentials string
	NATSReplicas    int

	SecretFile string // empty: see SecretPath

	RetentionUnmatched int // days that posts without a monitor are retained; 0: forever
	RetentionJournal   int // days that the journal retains stored entries; 0: forever

	AnalysisWait int // seconds that an analysis request waits for its result

	// Models of the operator: files or folders; empty: none.
	SentimentModel string
	EmotionModel   string
	ImageModel     string
	FetchImages    bool // for ImageModel, which gets no images otherwise
}

// Values of Config.Compat.
const (
	CompatDocument = "document" // exactly the specification
	CompatClients  = "clients"  // what some existing programs require
)

// New returns the defaults.
func New() Config {
	return Config{
		Data:              "data",
		Listen:            "127.0.0.1:8080",
		RateLimit:         120,
		Compat:            CompatDocument,
		RestrictedSources: []earshot.Source{earshot.Twitter, earshot.Tumblr, earshot.GooglePlus},
		LogLevel:          "info",
		LogFormat:         "text",
		NATSReplicas:      1,

		RetentionUnmatched: 30,
		RetentionJournal:   7,

		AnalysisWait: 2,
	}
}

// SecretPath returns the file that holds the key of all tokens: SecretFile, or
// secret.key in the data directory.
func (c Config) SecretPath() string {
	if c.SecretFile != "" {
		return c.SecretFile
	}
	return filepath.Join(c.Data, "secret.key")
}
