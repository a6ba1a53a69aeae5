package clickhouse

// The tables. Every post is stored once in set 0, which contains all posts, and once more in each
// set of a monitor or filter that it belongs to, so that the posts of a set are next to each other.
// Only the copy in set 0 has the text. Category sets are many and have few attributes, so they are
// lists of posts in a table of their own.
//
// Rows are never changed. What a query sees is decided by numbers: each change of the store has a
// commit number, and a query sees what was committed up to the commit it started with.
//
//	posts      a version of a post in a set. row identifies the version; post identifies the post,
//	           and stays the same when models run again. The commit of a row is row >> rowBits.
//	labels     posts in category sets
//	gone       rows of posts that were replaced or deleted: none of their copies counts from commit on
//	keys       the rows of each post and the sets they belong to, for replacing it; the last commit counts
//	sets       the state of each set: the generation of its copies, the generation of its rule
//	counters   changes of counters of tracked posts
//	changed    posts that left a set or were added to it by a rematch; the key only of the latter;
//	           and when copied posts changed: at, which is otherwise the time of the commit
//	touched    the last commit that added or removed posts of a set, by hour of the posts. It may be
//	           the number of a commit that is not visible or failed. A rematch does not count
//	generations  all generations of sets whose copies may exist, for deleting old ones
//	snapshots  snapshots of accounts
//	installation  the installation that uses the database
//	copies     how far a copy from another store is; the last row counts
//	commits    the commits with the journal position that they reach
//	aborted    numbers of commits that failed: nothing with such a number counts
//
// Columns of posts that most posts would have the same values in are empty for them: handle, names and
// accounts, which author implies, see addNames; and url, which only posts in content sources need.
//
// Arrays of strings are not LowCardinality, which makes merges take 70% longer. The exception is
// fields, which would be much larger.
//
// gen is the generation of a set's copies: a rematch writes copies with a new generation, and its
// commit makes that generation the current one. Copies of older generations are deleted later.
var tables = []table{
	{
		name: "posts",
		columns: `
	set Int64,
	gen UInt64,
	sec Int64 CODEC(DoubleDelta, ZSTD(1)),
	nanos UInt32,
	row UInt64,
	post UInt64,
	position UInt64,
	key UInt128,
	models UInt32,
	source LowCardinality(String),
	contentSource Int64,
	site LowCardinality(String),
	host LowCardinality(String),
	language LowCardinality(String),
	country LowCardinality(String),
	state LowCardinality(String),
	city LowCardinality(String),
	gender LowCardinality(String),
	age LowCardinality(String),
	author String,
	names Array(String),
	handle String,
	accounts Array(String),
	surname LowCardinality(String),
	hashtags Array(String),
	cashtags Array(String),
	interests Array(String),
	imageClasses Array(String),
	brands Array(String),
	engagement LowCardinality(String),
	parent String,
	sentiment UInt8,
	emotion UInt8,
	sentimentCell UInt32,
	emotionCell UInt32,
	picture UInt8,
	clock UInt8,
	geotagged UInt8,
	followers Int64,
	likes Int64,
	shares Int64,
	comments Int64,
	replies Int64,
	retweets Int64,
	views Int64,
	stated UInt8,
	team Int64,
	guid String,
	url String,
	page String,
	batch LowCardinality(String),
	fields Array(LowCardinality(String)),
	authorWords String CODEC(ZSTD(1)),
	words String,
	marks Array(String) CODEC(ZSTD(1)),
	body String CODEC(ZSTD(1)),
	INDEX fieldsIndex fields TYPE text(tokenizer = array),
	INDEX wordsIndex splitByChar(' ', words) TYPE text(tokenizer = array)`,
		partition: "intDiv(sec, 2592000)",
		order:     "set, gen, sec, row",
		shard:     shardOfPost,
		// New parts have one file for all columns, which takes the server a quarter less time than one
		// or two for each. Merges make larger parts.
		settings: "min_bytes_for_wide_part = 134217728",
	},
	{
		name:      "labels",
		columns:   "\n\tset Int64,\n\tgen UInt64,\n\tsec Int64 CODEC(DoubleDelta, ZSTD(1)),\n\tpost UInt64,\n\tsince UInt64,\n\tshard UInt64",
		partition: "intDiv(sec, 2592000)",
		order:     "set, gen, sec, post",
		shard:     "shard",
	},
	{
		name:    "gone",
		columns: "\n\tsec Int64,\n\trow UInt64,\n\tcommit UInt64,\n\tshard UInt64",
		order:   "sec, row",
		shard:   "shard",
	},
	{
		name: "keys",
		columns: `
	key UInt128,
	commit UInt64,
	row UInt64,
	post UInt64,
	sec Int64,
	shard UInt64,
	deleted UInt8,
	sets Array(Int64)`,
		order:    "key, commit",
		shard:    "sipHash64(key)",
		settings: "index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 16384",
	},
	{
		name:    "sets",
		columns: "\n\tset Int64,\n\tcommit UInt64,\n\tgen UInt64,\n\tgeneration Int64,\n\tcleared UInt64",
		order:   "set, commit",
	},
	{
		name: "counters",
		columns: `
	set Int64,
	time Int64,
	posted Int64,
	likes Int64,
	shares Int64,
	comments Int64,
	commit UInt64`,
		order: "set, time, posted",
	},
	{
		name:    "changed",
		columns: "\n\tset Int64,\n\tsec Int64,\n\tcommit UInt64,\n\tkey UInt128,\n\tadded UInt8,\n\tat Int64",
		order:   "set, sec",
	},
	{
		name:    "touched",
		columns: "\n\tset Int64,\n\thour Int64,\n\tcommit SimpleAggregateFunction(max, UInt64)",
		order:   "set, hour",
		kind:    "Aggregating",
	},
	{
		name:    "generations",
		columns: "\n\tset Int64,\n\tgen UInt64,\n\tat Int64",
		order:   "set, gen",
	},
	{
		name:    "snapshots",
		columns: "\n\tmonitor Int64,\n\tdate String,\n\tbody String,\n\tcommit UInt64",
		order:   "monitor, date",
	},
	{
		name:    "commits",
		columns: "\n\tcommit UInt64,\n\tposition UInt64,\n\tat Int64",
		order:   "commit",
	},
	{
		name:    "installation",
		columns: "\n\tid String,\n\tat Int64",
		order:   "id",
	},
	{
		name:    "copies",
		columns: "\n\tpart UInt64,\n\tcheckpoint String,\n\tat Int64",
		order:   "part",
	},
	{
		name:    "aborted",
		columns: "\n\tcommit UInt64,\n\tat Int64",
		order:   "commit",
	},
}

// A table is the definition of a table. Engine and cluster are added when it is created.
type table struct {
	name      string
	columns   string
	partition string
	order     string
	shard     string // sharding key; empty: every shard has the whole table
	settings  string
	kind      string // of MergeTree: what merges do to rows with the same key; empty: nothing
}

// rowBits is the number of bits of a row number that count the rows of a commit.
const rowBits = 24
