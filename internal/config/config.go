// Package config defines the settings of the service and their defaults.
//
// Every setting has one name: rate_limit in the configuration file is EARSHOT_RATE_LIMIT in the
// environment and --rate-limit on the command line, and retention.journal is
// EARSHOT_RETENTION_JOURNAL and --retention-journal. The command line overrides the environment,
// which overrides the file. The table in settings.go drives all three, the help text and the
// output of Print.
package config

import (
	"path/filepath"

	"earshot"
)

// Config contains the settings. Values from [New] and [Load] are valid.
type Config struct {
	Data   string // data directory
	Listen string // host:port

	RateLimit              int // requests per minute per user under /api/; 0: no limit
	ManageRateLimit        int // requests per minute per user elsewhere; 0: no limit
	MemoryLimit            int // MB for all requests in flight; 0: a quarter of the available memory
	ConnectionLimit        int // open connections; 0: as many as file descriptors allow, up to 2,048
	AddressConnectionLimit int // open connections of one address; 0: half of all connections
	MonitorCostLimit       int // cost of the enabled monitors of a team; 0: no limit

	Compat            string
	RestrictedSources []earshot.Source
	AllowedOrigins    []string // of pages that may call /api and /manage from browsers

	LogLevel  string // debug, info, warn or error
	LogFormat string // text or json

	NATSURL         string // empty: embedded server
	NATSCredentials string
	NATSReplicas    int // 0: see Replicas

	// Several nodes, which form one installation; see [Config.Clustered].
	ClusterName      string   // empty: this is the only node
	Peers            []string // host:port of the cluster listener of every node; empty: external NATS
	ClusterListen    string   // host:port for connections of other nodes
	ClusterAdvertise string   // host:port that other nodes pass on to each other; empty: the one they see
	NodeName         string   // unique among the nodes

	SecretFile string // empty: see SecretPath

	// Posts; see [Config.ClickHouse].
	Store             string // LocalStore, or the URL of a ClickHouse database
	StorePasswordFile string // empty: none
	StoreCAFile       string // certificates of authorities; empty: those of the system
	StoreCluster      string // of ClickHouse servers; empty: there is one server
	StoreMemory       int    // MB that ClickHouse may use for a query; 0: as configured there
	StoreTimeout      int    // seconds that a query may take

	RetentionUnmatched int // days that posts without a monitor are retained; 0: forever
	RetentionJournal   int // days that the journal retains stored entries; 0: forever

	AnalysisWait int // seconds that an analysis request waits for its result

	ReportFonts string // directory of fonts for PDF reports; empty: none

	// Live sources.
	AllowPrivateAddresses bool   // also any port
	SourceContact         string // URL or email address for the User-Agent; empty: none

	// Channels.
	PublicURL            string // of the web app, without a slash at the end; empty: derived from Listen
	AllowPrivateChannels bool   // also any port, and http
	SMTPAddress          string // host:port; empty: no email
	SMTPUsername         string // empty: without authentication
	SMTPPasswordFile     string // empty: none
	SMTPFrom             string
	SMTPTLS              string

	// Custom models: files or folders; empty: none.
	SentimentModel  string
	EmotionModel    string
	SecondLookModel string
	ImageModel      string

	SecondLookCPU int // percent of a core; 0: no second looks

	// Pictures of posts.
	FetchImages        bool
	AllowPrivateImages bool // from private addresses, and any port
	ImageCache         int  // MB of thumbnails
}

// Values of Config.Compat.
const (
	CompatDocument = "document" // exactly as specified
	CompatClients  = "clients"  // with deviations that some existing programs require
)

// Values of Config.SMTPTLS.
const (
	StartTLS    = "starttls" // the connection must become encrypted
	ImplicitTLS = "tls"
	NoTLS       = "none"
)

// New returns the defaults.
func New() Config {
	return Config{
		Data:              "data",
		Listen:            "127.0.0.1:8080",
		RateLimit:         120,
		ManageRateLimit:   6000,
		MonitorCostLimit:  250_000, // 1,000 monitors of about 250 words each
		Compat:            CompatDocument,
		RestrictedSources: []earshot.Source{earshot.Twitter, earshot.Tumblr, earshot.GooglePlus},
		LogLevel:          "info",
		LogFormat:         "text",
		ClusterListen:     ":6222",
		NodeName:          hostName(),

		Store:        LocalStore,
		StoreMemory:  4000,
		StoreTimeout: 60,

		RetentionUnmatched: 30,
		RetentionJournal:   7,

		AnalysisWait: 2,

		SMTPTLS: StartTLS,

		ImageCache: 1000,
	}
}

// Clustered reports whether this is one of several nodes. If Peers is empty, an external NATS cluster
// connects them; otherwise their embedded servers form a cluster.
func (c Config) Clustered() bool { return c.ClusterName != "" }

// Replicas returns the number of copies that NATS stores of all data: NATSReplicas, or by default 3
// in a cluster and 1 otherwise.
func (c Config) Replicas() int {
	switch {
	case c.NATSReplicas > 0:
		return c.NATSReplicas
	case c.Clustered():
		return minPeers
	}
	return 1
}

// SecretPath returns the file with the key that signs tokens: SecretFile, or secret.key in the data
// directory.
func (c Config) SecretPath() string {
	if c.SecretFile != "" {
		return c.SecretFile
	}
	return filepath.Join(c.Data, "secret.key")
}
