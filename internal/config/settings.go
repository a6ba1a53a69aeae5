package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A setting is a row of the settings table.
type setting struct {
	name  string // in the file; the names of flag and variable are derived from it
	usage string
	value func(*Config) value
}

// A value is a field of a Config that can be set from text. The error of Set is a phrase that
// describes the allowed values.
type value interface {
	pflag.Value
	yaml() any // value for the YAML file
}

var settings = []setting{
	{"data", "directory for all data; created if it does not exist",
		func(c *Config) value { return text{&c.Data, isDirectory} }},
	{"listen", "address to listen on, host:port; an empty host means all addresses of the machine, port 0 a free port",
		func(c *Config) value { return text{&c.Listen, isAddress} }},
	{"rate_limit", "requests per minute per user; 0 means no limit",
		func(c *Config) value { return number{&c.RateLimit, 0, 1_000_000} }},
	{"manage_rate_limit", "requests per minute per user outside /api/; 0 means no limit",
		func(c *Config) value { return number{&c.ManageRateLimit, 0, 1_000_000} }},
	{"memory_limit", "megabytes that all requests in flight may occupy; 0 means a quarter of GOMEMLIMIT, of the container's limit or of the machine's memory, up to 1024",
		func(c *Config) value { return number{&c.MemoryLimit, 0, 1_000_000} }},
	{"connection_limit", "connections that may be open at the same time; 0 means as many as the limit on file descriptors allows, up to 2048",
		func(c *Config) value { return number{&c.ConnectionLimit, 0, 1_000_000} }},
	{"address_connection_limit", "open connections of one IPv4 address or IPv6 /64 network; 0 means half of all connections",
		func(c *Config) value { return number{&c.AddressConnectionLimit, 0, 1_000_000} }},
	{"monitor_cost_limit", "cost of all enabled monitors of a team, in units of a word in a query; 0 means no limit",
		func(c *Config) value { return number{&c.MonitorCostLimit, 0, 1_000_000_000} }},
	{"compat", "document: responses exactly as specified; clients: with additions that some existing programs require",
		func(c *Config) value { return choice{&c.Compat, []string{CompatDocument, CompatClients}} }},
	{"restricted_sources", "networks whose posts are shown without their text, separated by commas; may be empty if you own the rights",
		func(c *Config) value { return networks{&c.RestrictedSources} }},
	{"allowed_origins", "origins whose pages may call /api and /manage with a token, such as https://app.example.com, separated by commas; empty means none",
		func(c *Config) value { return origins{&c.AllowedOrigins} }},
	{"log_level", "lowest level to log: debug, info, warn or error",
		func(c *Config) value { return choice{&c.LogLevel, []string{"debug", "info", "warn", "error"}} }},
	{"log_format", "format of the log: text or json",
		func(c *Config) value { return choice{&c.LogFormat, []string{"text", "json"}} }},
	{"nats_url", "URL of an external NATS server, or URLs of a cluster separated by commas; empty runs a server inside the process",
		func(c *Config) value { return text{&c.NATSURL, acceptAny} }},
	{"nats_credentials", "credentials file for the external NATS server",
		func(c *Config) value { return text{&c.NATSCredentials, acceptAny} }},
	{"nats_replicas", "copies that a NATS cluster stores of all data, 1 to 5; 0 means 3 with cluster.name, 1 without it",
		func(c *Config) value { return number{&c.NATSReplicas, 0, 5} }},
	{"cluster.name", "name of the cluster that this node belongs to; needs peers or nats_url; empty means that this is the only node",
		func(c *Config) value { return text{&c.ClusterName, isClusterName} }},
	{"peers", "host:port of the cluster listener of every node including this one, at least 3, separated by commas; empty with an external NATS cluster",
		func(c *Config) value { return peers{&c.Peers} }},
	{"cluster.listen", "address on which the embedded NATS server listens for the other nodes, host:port",
		func(c *Config) value { return text{&c.ClusterListen, isListener} }},
	{"cluster.advertise", "address of this node that others pass on to each other, host:port; empty means the address that they see; for nodes behind a port forwarding",
		func(c *Config) value { return text{&c.ClusterAdvertise, isAdvertised} }},
	{"node_name", "name of this node, unique in the cluster; empty means the name of the host",
		func(c *Config) value { return nodeName{&c.NodeName} }},
	{"secret_file", "file with the key that signs tokens, created if it does not exist; empty means secret.key in the data directory",
		func(c *Config) value { return text{&c.SecretFile, acceptAny} }},
	{"store", "where posts are stored: local means the data directory; else the URL of a ClickHouse database, clickhouse://user@host:8123/database, or clickhouses:// with TLS",
		func(c *Config) value { return text{&c.Store, isStore} }},
	{"store.password_file", "file with the password for ClickHouse; without it, EARSHOT_STORE_PASSWORD is the password",
		func(c *Config) value { return text{&c.StorePasswordFile, acceptAny} }},
	{"store.ca_file", "file with certificates of authorities that sign the certificate of ClickHouse, in PEM format; empty means those of the system",
		func(c *Config) value { return text{&c.StoreCAFile, acceptAny} }},
	{"store.cluster", "name of the ClickHouse cluster whose servers store the posts; empty means that there is one server",
		func(c *Config) value { return text{&c.StoreCluster, isStoreCluster} }},
	{"store.memory", "megabytes of memory that ClickHouse may use for a query; 0 means as much as its own settings allow",
		func(c *Config) value { return number{&c.StoreMemory, 0, 10_000_000} }},
	{"store.timeout", "seconds that a query of ClickHouse may take, 1 to 3600",
		func(c *Config) value { return number{&c.StoreTimeout, 1, 3600} }},
	{"retention.unmatched", "days to keep posts that no monitor matches; 0 keeps them forever",
		func(c *Config) value { return number{&c.RetentionUnmatched, 0, maxDays} }},
	{"retention.journal", "days to keep journal entries that the post store has on disk; 0 keeps them forever",
		func(c *Config) value { return number{&c.RetentionJournal, 0, maxDays} }},
	{"analysis_wait", "seconds that an analysis request waits for its result before it responds with a time to retry, 1 to 60",
		func(c *Config) value { return number{&c.AnalysisWait, 1, 60} }},
	{"report_fonts", "directory of TrueType fonts for scripts that the built-in fonts of PDF reports do not have; empty means none",
		func(c *Config) value { return text{&c.ReportFonts, acceptAny} }},
	{"sources.allow_private_addresses", "true lets live sources connect to loopback and private addresses, and to any port; for intranets and tests",
		func(c *Config) value { return boolean{&c.AllowPrivateAddresses} }},
	{"sources.contact", "URL or email address where networks can contact you about the requests of live sources; part of the User-Agent",
		func(c *Config) value { return text{&c.SourceContact, isContact} }},
	{"public_url", "URL at which people open the web app, for links in messages; empty means the address that Earshot listens on",
		func(c *Config) value { return text{&c.PublicURL, isPublicURL} }},
	{"channels.allow_private_addresses", "true lets channels send to loopback and private addresses, to any port, and without HTTPS; for intranets and tests",
		func(c *Config) value { return boolean{&c.AllowPrivateChannels} }},
	{"smtp.address", "mail server that sends email, host:port; empty means no email",
		func(c *Config) value { return text{&c.SMTPAddress, isMailServer} }},
	{"smtp.from", "sender of email, such as earshot@example.com or Earshot <earshot@example.com>",
		func(c *Config) value { return text{&c.SMTPFrom, isSender} }},
	{"smtp.username", "user to authenticate as at the mail server; empty means no authentication",
		func(c *Config) value { return text{&c.SMTPUsername, acceptAny} }},
	{"smtp.password_file", "file with the password for the mail server; without it, EARSHOT_SMTP_PASSWORD is the password",
		func(c *Config) value { return text{&c.SMTPPasswordFile, acceptAny} }},
	{"smtp.tls", "encryption of the connection to the mail server: starttls, tls (from the start) or none",
		func(c *Config) value { return choice{&c.SMTPTLS, []string{StartTLS, ImplicitTLS, NoTLS}} }},
	{"models.sentiment", "directory or file of an ONNX text model for sentiment; empty means the built-in model",
		func(c *Config) value { return text{&c.SentimentModel, acceptAny} }},
	{"models.emotion", "directory or file of an ONNX text model for emotion; empty means the built-in model",
		func(c *Config) value { return text{&c.EmotionModel, acceptAny} }},
	{"models.images", "directory or file of an ONNX image model; empty means the built-in networks",
		func(c *Config) value { return text{&c.ImageModel, acceptAny} }},
	{"models.second_look", "directory or file of an ONNX text model for sentiment that reads posts of monitors again later; empty means the built-in network, for English posts",
		func(c *Config) value { return text{&c.SecondLookModel, acceptAny} }},
	{"second_look.cpu", "percent of a core for second looks at posts of monitors, 0 to 100; 0 turns them off",
		func(c *Config) value { return number{&c.SecondLookCPU, 0, 100} }},
	{"images.fetch", "true fetches the pictures of posts from public addresses, to find out what they show",
		func(c *Config) value { return boolean{&c.FetchImages} }},
	{"images.allow_private_addresses", "true lets pictures come from loopback and private addresses, and from any port; for intranets and tests",
		func(c *Config) value { return boolean{&c.AllowPrivateImages} }},
	{"images.cache", "megabytes for thumbnails of pictures; the least recently used ones are removed",
		func(c *Config) value { return number{&c.ImageCache, 0, 1_000_000} }},
}

// oldNames maps former names of settings to the current ones. Files, variables and flags may use
// both.
var oldNames = map[string]string{"models.fetch_images": "images.fetch"}

// maxDays limits settings in days to a century.
const maxDays = 36_500

func (s setting) flag() string { return strings.NewReplacer("_", "-", ".", "-").Replace(s.name) }

func (s setting) variable() string {
	return "EARSHOT_" + strings.ToUpper(strings.ReplaceAll(s.name, ".", "_"))
}

func findSetting(name string) (setting, bool) {
	if current, ok := oldNames[name]; ok {
		name = current
	}
	for _, s := range settings {
		if s.name == name {
			return s, true
		}
	}
	return setting{}, false
}

// isGroup reports whether there are settings whose names start with name and a dot.
func isGroup(name string) bool {
	return slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix(s.name, name+".") })
}

// withOldNames returns all settings, preceded by those with a former name under that name.
func withOldNames() []setting {
	var all []setting
	for old := range oldNames {
		s, _ := findSetting(old)
		s.name = old
		all = append(all, s)
	}
	return append(all, settings...)
}

func settingNames() string {
	var all []string
	for _, s := range settings {
		all = append(all, s.name)
	}
	return strings.Join(all, ", ")
}
