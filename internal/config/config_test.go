package config

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"earshot"
)

// load writes the file, unless it is empty, and loads the settings from all sources.
func load(t *testing.T, file string, environ, args []string) (Config, error) {
	t.Helper()
	path := ""
	if file != "" {
		path = filepath.Join(t.TempDir(), "earshot.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		return Config{}, err
	}
	c, err := Load(flags, path, environ)
	if err != nil {
		return c, errorWithout(filepath.Dir(path)+"/", err)
	}
	return c, nil
}

// errorWithout removes the temporary directory from an error, so tests can compare the rest
// exactly.
func errorWithout(dir string, err error) error {
	return plainError(strings.ReplaceAll(err.Error(), dir, ""))
}

type plainError string

func (e plainError) Error() string { return string(e) }

func TestLoad(t *testing.T) {
	tests := []struct {
		name    string
		file    string
		environ []string
		args    []string
		change  func(*Config)
	}{
		{
			name:   "without settings, the defaults apply",
			change: func(*Config) {},
		},
		{
			name:   "the file changes a default",
			file:   "rate_limit: 5\n",
			change: func(c *Config) { c.RateLimit = 5 },
		},
		{
			name:    "the environment overrides the file",
			file:    "rate_limit: 5\ndata: /srv\n",
			environ: []string{"EARSHOT_RATE_LIMIT=6"},
			change:  func(c *Config) { c.RateLimit, c.Data = 6, "/srv" },
		},
		{
			name:    "a flag overrides the environment",
			file:    "rate_limit: 5\n",
			environ: []string{"EARSHOT_RATE_LIMIT=6", "EARSHOT_DATA=/env"},
			args:    []string{"--rate-limit=120"},
			change:  func(c *Config) { c.RateLimit, c.Data = 120, "/env" },
		},
		{
			name:   "a name with a dot may be one key in the file",
			file:   "retention.unmatched: 5\nretention.journal: 0\n",
			change: func(c *Config) { c.RetentionUnmatched, c.RetentionJournal = 5, 0 },
		},
		{
			name:   "a name with a dot may be nested in the file",
			file:   "retention:\n    unmatched: 5\n    journal: 3\n",
			change: func(c *Config) { c.RetentionUnmatched, c.RetentionJournal = 5, 3 },
		},
		{
			name:    "variables and flags have no dot",
			environ: []string{"EARSHOT_RETENTION_UNMATCHED=5"},
			args:    []string{"--retention-journal=3"},
			change:  func(c *Config) { c.RetentionUnmatched, c.RetentionJournal = 5, 3 },
		},
		{
			name: "lists are YAML lists in the file",
			file: "restricted_sources: [Google Plus, twitter]\n",
			change: func(c *Config) {
				c.RestrictedSources = []earshot.Source{earshot.GooglePlus, earshot.Twitter}
			},
		},
		{
			name: "lists in variables and flags are separated by commas",
			args: []string{"--restricted-sources", "Tumblr, Facebook"},
			change: func(c *Config) {
				c.RestrictedSources = []earshot.Source{earshot.Tumblr, earshot.Facebook}
			},
		},
		{
			name:   "an empty list in the file is empty",
			file:   "restricted_sources: []\n",
			change: func(c *Config) { c.RestrictedSources = []earshot.Source{} },
		},
		{
			name:    "an empty list in the environment is empty",
			environ: []string{"EARSHOT_RESTRICTED_SOURCES="},
			change:  func(c *Config) { c.RestrictedSources = []earshot.Source{} },
		},
		{
			name:   "an empty list in a flag is empty",
			args:   []string{"--restricted-sources="},
			change: func(c *Config) { c.RestrictedSources = []earshot.Source{} },
		},
		{
			name:    "variables that are not settings are ignored",
			environ: []string{"EARSHOT_ADMIN_PASSWORD=secret", "HOME=/root", "broken"},
			change:  func(*Config) {},
		},
		{
			name:   "a file with only comments is empty",
			file:   "# nothing\n",
			change: func(*Config) {},
		},
		{
			name: "every setting has a flag",
			args: []string{
				"--data=d", "--listen=:0", "--rate-limit=0", "--manage-rate-limit=1", "--memory-limit=2", "--connection-limit=3",
				"--address-connection-limit=4", "--monitor-cost-limit=5", "--compat=clients", "--log-level=debug", "--log-format=json",
				"--nats-url=nats://n", "--nats-credentials=c", "--nats-replicas=3", "--cluster-name=x", "--cluster-listen=:1", "--cluster-advertise=h:1", "--node-name=a.b", "--secret-file=s", "--restricted-sources=News", "--allowed-origins=https://a",
				"--store=clickhouses://h/d", "--store-password-file=w", "--store-ca-file=a", "--store-cluster=c", "--store-memory=5", "--store-timeout=6",
				"--retention-unmatched=8", "--retention-journal=9", "--analysis-wait=7",
				"--public-url=https://e", "--channels-allow-private-addresses=true", "--smtp-address=m:25", "--smtp-from=a@b", "--smtp-username=u", "--smtp-password-file=p", "--smtp-tls=none",
				"--models-sentiment=s", "--models-emotion=e", "--models-images=i", "--models-second-look=l", "--second-look-cpu=5", "--images-fetch=true", "--images-allow-private-addresses=true", "--images-cache=7",
			},
			change: func(c *Config) {
				*c = Config{
					Data: "d", Listen: ":0", RateLimit: 0, ManageRateLimit: 1, MemoryLimit: 2, ConnectionLimit: 3,
					AddressConnectionLimit: 4, MonitorCostLimit: 5, Compat: CompatClients, LogLevel: "debug", LogFormat: "json",
					NATSURL: "nats://n", NATSCredentials: "c", NATSReplicas: 3, ClusterName: "x", ClusterListen: ":1", ClusterAdvertise: "h:1", NodeName: "a.b", SecretFile: "s",
					Store: "clickhouses://h/d", StorePasswordFile: "w", StoreCAFile: "a", StoreCluster: "c", StoreMemory: 5, StoreTimeout: 6,
					RestrictedSources: []earshot.Source{earshot.News}, AllowedOrigins: []string{"https://a"}, RetentionUnmatched: 8, RetentionJournal: 9, AnalysisWait: 7,
					PublicURL: "https://e", AllowPrivateChannels: true, SMTPAddress: "m:25", SMTPFrom: "a@b", SMTPUsername: "u", SMTPPasswordFile: "p", SMTPTLS: NoTLS,
					SentimentModel: "s", EmotionModel: "e", ImageModel: "i", SecondLookModel: "l", SecondLookCPU: 5, FetchImages: true, AllowPrivateImages: true, ImageCache: 7,
				}
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := New()
			tt.change(&want)
			got, err := load(t, tt.file, tt.environ, tt.args)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	const networks = "Twitter, Facebook, Instagram, Tumblr, Google Plus, YouTube, Blogs, News, " +
		"Forums, Reviews, Comments, Reddit, Bluesky, Mastodon, Threads, Hacker News"
	tests := []struct {
		name    string
		file    string
		environ []string
		args    []string
		want    string
	}{
		{
			name: "a bad number in the file",
			file: "\nrate_limit: many\n",
			want: `setting rate_limit: invalid value "many" in file earshot.yaml, line 2: must be a whole number from 0 to 1000000`,
		},
		{
			name:    "a number below the minimum in the environment",
			environ: []string{"EARSHOT_RATE_LIMIT=-1"},
			want:    `setting rate_limit: invalid value "-1" in environment variable EARSHOT_RATE_LIMIT: must be a whole number from 0 to 1000000`,
		},
		{
			name: "an invalid choice in a flag",
			args: []string{"--compat=both"},
			want: `invalid argument "both" for "--compat" flag: one of document, clients`,
		},
		{
			name: "an unknown source",
			file: "restricted_sources:\n- Twiter\n",
			want: `setting restricted_sources: invalid value "Twiter" in file earshot.yaml, line 1: must be any of ` + networks,
		},
		{
			name: "an origin with a slash at the end",
			args: []string{"--allowed-origins=https://app.example.com, https://b.example/"},
			want: `invalid argument "https://app.example.com, https://b.example/" for "--allowed-origins" flag: origins, each a scheme, a host in lower case and ` +
				`a port unless it is the default, like https://app.example.com or http://localhost:3000`,
		},
		{
			name:    "any origin",
			environ: []string{"EARSHOT_ALLOWED_ORIGINS=*"},
			want: `setting allowed_origins: invalid value "*" in environment variable EARSHOT_ALLOWED_ORIGINS: must be origins, each a scheme, a host in lower case ` +
				`and a port unless it is the default, like https://app.example.com or http://localhost:3000`,
		},
		{
			name:    "an address without a port",
			environ: []string{"EARSHOT_LISTEN=localhost"},
			want: `setting listen: invalid value "localhost" in environment variable EARSHOT_LISTEN: ` +
				`must be an address and a port from 0 to 65535, like 127.0.0.1:8080`,
		},
		{
			name: "a port that is too large",
			file: "listen: :65536",
			want: `setting listen: invalid value ":65536" in file earshot.yaml, line 1: ` +
				`must be an address and a port from 0 to 65535, like 127.0.0.1:8080`,
		},
		{
			name: "an empty data directory",
			file: "data:",
			want: `setting data: invalid value "" in file earshot.yaml, line 1: must be the name of a directory`,
		},
		{
			name: "an unknown setting",
			file: "rate-limit: 5",
			want: `unknown setting "rate-limit" in file earshot.yaml, line 1: must be one of data, listen, rate_limit, manage_rate_limit, memory_limit, connection_limit, address_connection_limit, monitor_cost_limit, compat, ` +
				`restricted_sources, allowed_origins, log_level, log_format, nats_url, nats_credentials, nats_replicas, cluster.name, peers, cluster.listen, cluster.advertise, node_name, secret_file, store, store.password_file, store.ca_file, store.cluster, store.memory, store.timeout, retention.unmatched, retention.journal, analysis_wait, report_fonts, ` +
				`sources.allow_private_addresses, sources.contact, public_url, channels.allow_private_addresses, smtp.address, smtp.from, smtp.username, smtp.password_file, smtp.tls, models.sentiment, models.emotion, models.images, models.second_look, second_look.cpu, images.fetch, images.allow_private_addresses, images.cache`,
		},
		{
			name: "a setting given twice",
			file: "data: a\ndata: b",
			want: `setting data: duplicate value in file earshot.yaml, line 2: must be set once`,
		},
		{
			name: "a setting given in both forms",
			file: "retention:\n    journal: 1\nretention.journal: 2",
			want: `setting retention.journal: duplicate value in file earshot.yaml, line 3: must be set once`,
		},
		{
			name: "an unknown setting within a mapping",
			file: "retention:\n    posts: 1",
			want: `unknown setting "retention.posts" in file earshot.yaml, line 2: must be one of data, listen, rate_limit, manage_rate_limit, memory_limit, connection_limit, address_connection_limit, monitor_cost_limit, compat, ` +
				`restricted_sources, allowed_origins, log_level, log_format, nats_url, nats_credentials, nats_replicas, cluster.name, peers, cluster.listen, cluster.advertise, node_name, secret_file, store, store.password_file, store.ca_file, store.cluster, store.memory, store.timeout, retention.unmatched, retention.journal, analysis_wait, report_fonts, ` +
				`sources.allow_private_addresses, sources.contact, public_url, channels.allow_private_addresses, smtp.address, smtp.from, smtp.username, smtp.password_file, smtp.tls, models.sentiment, models.emotion, models.images, models.second_look, second_look.cpu, images.fetch, images.allow_private_addresses, images.cache`,
		},
		{
			name: "the first part of a name alone",
			file: "retention: 5",
			want: `unknown setting "retention" in file earshot.yaml, line 1: must be one of data, listen, rate_limit, manage_rate_limit, memory_limit, connection_limit, address_connection_limit, monitor_cost_limit, compat, ` +
				`restricted_sources, allowed_origins, log_level, log_format, nats_url, nats_credentials, nats_replicas, cluster.name, peers, cluster.listen, cluster.advertise, node_name, secret_file, store, store.password_file, store.ca_file, store.cluster, store.memory, store.timeout, retention.unmatched, retention.journal, analysis_wait, report_fonts, ` +
				`sources.allow_private_addresses, sources.contact, public_url, channels.allow_private_addresses, smtp.address, smtp.from, smtp.username, smtp.password_file, smtp.tls, models.sentiment, models.emotion, models.images, models.second_look, second_look.cpu, images.fetch, images.allow_private_addresses, images.cache`,
		},
		{
			name: "too many days",
			file: "retention.journal: 36501",
			want: `setting retention.journal: invalid value "36501" in file earshot.yaml, line 1: must be a whole number from 0 to 36500`,
		},
		{
			name: "a mapping where one value is needed",
			file: "data: {a: b}",
			want: `setting data: invalid value in file earshot.yaml, line 1: must be a single value`,
		},
		{
			name: "a list where one value is needed",
			file: "data: [a, b]",
			want: `setting data: invalid value in file earshot.yaml, line 1: must be a single value`,
		},
		{
			name: "a list of lists",
			file: "restricted_sources: [[Twitter]]",
			want: `setting restricted_sources: invalid value in file earshot.yaml, line 1: must be a list of names`,
		},
		{
			name: "a file that is not a mapping",
			file: "data",
			want: `configuration file earshot.yaml: must be a mapping of settings to values`,
		},
		{
			name: "two documents",
			file: "data: a\n---\ndata: b\n",
			want: `configuration file earshot.yaml: must be a single YAML document`,
		},
		{
			name: "a file that is not YAML",
			file: "data: [",
			want: `configuration file earshot.yaml: yaml: line 1: did not find expected node content`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.file, tt.environ, tt.args)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestLoadMissingFile(t *testing.T) {
	_, err := Load(nil, filepath.Join(t.TempDir(), "none.yaml"), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "read configuration: open ") {
		t.Errorf("got %v, want an error about the file", err)
	}
}

func TestPrint(t *testing.T) {
	var got bytes.Buffer
	c := New()
	c.NodeName = "this-host"
	if err := c.Print(&got); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/defaults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", &got, want)
	}
}

func TestPrintedSettingsRoundTrip(t *testing.T) {
	want := Config{
		Data: "a: #b", Listen: "[::1]:80", RateLimit: 7, Compat: CompatClients, RestrictedSources: []earshot.Source{},
		LogLevel: "warn", LogFormat: "json", NATSURL: "nats://u:p@h:4222", NATSCredentials: "null", NATSReplicas: 5, ClusterListen: "[::1]:9", NodeName: "7", SecretFile: "12", Store: "clickhouse://u@h:1/d", StoreCluster: "c", StoreTimeout: 9, AnalysisWait: 9, SMTPTLS: ImplicitTLS,
	}
	var printed bytes.Buffer
	if err := want.Print(&printed); err != nil {
		t.Fatal(err)
	}
	got, err := load(t, printed.String(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestSecretPath(t *testing.T) {
	f := func(c Config, want string) {
		t.Helper()
		if got := c.SecretPath(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(Config{Data: "d"}, filepath.Join("d", "secret.key"))
	f(Config{Data: "d", SecretFile: "s"}, "s")
}

func TestBooleanFlags(t *testing.T) {
	f := func(want bool, args ...string) {
		t.Helper()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		AddFlags(flags)
		if err := flags.Parse(JoinBooleans(args)); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		c, err := Load(flags, "", nil)
		if err != nil || c.AllowPrivateAddresses != want || flags.NArg() != 0 {
			t.Errorf("%v: got %v %v and arguments %v, want %v", args, c.AllowPrivateAddresses, err, flags.Args(), want)
		}
	}
	f(false)
	f(true, "--sources-allow-private-addresses")
	f(true, "--sources-allow-private-addresses=true")
	f(true, "--sources-allow-private-addresses", "true")
	f(false, "--sources-allow-private-addresses", "false")
	f(true, "--sources-allow-private-addresses", "--data", "true")
}

func TestOldNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("models:\n  fetch_images: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	AddFlags(flags)
	if err := flags.Parse(JoinBooleans([]string{"--models-fetch-images", "true"})); err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]func() (Config, error){
		"file":     func() (Config, error) { return Load(nil, file, nil) },
		"variable": func() (Config, error) { return Load(nil, "", []string{"EARSHOT_MODELS_FETCH_IMAGES=true"}) },
		"flag":     func() (Config, error) { return Load(flags, "", nil) },
	} {
		if c, err := load(); err != nil || !c.FetchImages {
			t.Errorf("%s: got %v, %v, want true", name, c.FetchImages, err)
		}
	}
}

func TestOrigins(t *testing.T) {
	f := func(s, want string) {
		t.Helper()
		got, o := "an error", origins{&[]string{}}
		if err := o.Set(s); err == nil {
			got = o.String()
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
	f("", "")
	f("https://app.example.com,http://localhost:3000 , ", "https://app.example.com, http://localhost:3000")
	f("http://[::1]:8080", "http://[::1]:8080")
	f("https://xn--bcher-kva.example", "https://xn--bcher-kva.example")
	for _, s := range []string{
		"*", "null", "app.example.com", "https://*.example.com", "https://app.example.com/", "https://app.example.com/a", "https://App.example.com", "HTTPS://app.example.com",
		"https://app.example.com:443", "http://app.example.com:80", "https://app.example.com:", "https://app.example.com:99999", "https://u@app.example.com",
		"https://app.example.com?", "https://b\u00fccher.example", "file://x", "https://", "https://a https://b", "https://a,https://b/",
	} {
		f(s, "an error")
	}
}
