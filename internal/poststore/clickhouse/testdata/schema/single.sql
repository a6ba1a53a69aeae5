CREATE TABLE IF NOT EXISTS schema (
	version UInt64,
	at Int64
)
ENGINE = MergeTree
ORDER BY (version)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS posts (
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
	INDEX wordsIndex splitByChar(' ', words) TYPE text(tokenizer = array)
)
ENGINE = MergeTree
PARTITION BY intDiv(sec, 2592000)
ORDER BY (set, gen, sec, row)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, min_bytes_for_wide_part = 134217728;

CREATE TABLE IF NOT EXISTS labels (
	set Int64,
	gen UInt64,
	sec Int64 CODEC(DoubleDelta, ZSTD(1)),
	post UInt64,
	since UInt64,
	shard UInt64
)
ENGINE = MergeTree
PARTITION BY intDiv(sec, 2592000)
ORDER BY (set, gen, sec, post)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS gone (
	sec Int64,
	row UInt64,
	commit UInt64,
	shard UInt64
)
ENGINE = MergeTree
ORDER BY (sec, row)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS keys (
	key UInt128,
	commit UInt64,
	row UInt64,
	post UInt64,
	sec Int64,
	shard UInt64,
	deleted UInt8,
	sets Array(Int64)
)
ENGINE = MergeTree
ORDER BY (key, commit)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 16384;

CREATE TABLE IF NOT EXISTS sets (
	set Int64,
	commit UInt64,
	gen UInt64,
	generation Int64,
	cleared UInt64
)
ENGINE = MergeTree
ORDER BY (set, commit)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS counters (
	set Int64,
	time Int64,
	posted Int64,
	likes Int64,
	shares Int64,
	comments Int64,
	commit UInt64
)
ENGINE = MergeTree
ORDER BY (set, time, posted)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS changed (
	set Int64,
	sec Int64,
	commit UInt64,
	key UInt128,
	added UInt8,
	at Int64
)
ENGINE = MergeTree
ORDER BY (set, sec)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS touched (
	set Int64,
	hour Int64,
	commit SimpleAggregateFunction(max, UInt64)
)
ENGINE = AggregatingMergeTree
ORDER BY (set, hour)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS generations (
	set Int64,
	gen UInt64,
	at Int64
)
ENGINE = MergeTree
ORDER BY (set, gen)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS snapshots (
	monitor Int64,
	date String,
	body String,
	commit UInt64
)
ENGINE = MergeTree
ORDER BY (monitor, date)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS commits (
	commit UInt64,
	position UInt64,
	at Int64
)
ENGINE = MergeTree
ORDER BY (commit)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS installation (
	id String,
	at Int64
)
ENGINE = MergeTree
ORDER BY (id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS copies (
	part UInt64,
	checkpoint String,
	at Int64
)
ENGINE = MergeTree
ORDER BY (part)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS aborted (
	commit UInt64,
	at Int64
)
ENGINE = MergeTree
ORDER BY (commit)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;
