CREATE TABLE IF NOT EXISTS earshot.schema ON CLUSTER `three_shards` (
	version UInt64,
	at Int64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/schema', '{shard}-{replica}')
ORDER BY (version)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.posts_local ON CLUSTER `three_shards` (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/earshot/posts_local', '{replica}')
PARTITION BY intDiv(sec, 2592000)
ORDER BY (set, gen, sec, row)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, min_bytes_for_wide_part = 134217728;

CREATE TABLE IF NOT EXISTS earshot.posts ON CLUSTER `three_shards` AS earshot.posts_local
ENGINE = Distributed('three_shards', 'earshot', 'posts_local', if(author = '', toUInt64(key), CRC32(author)));

CREATE TABLE IF NOT EXISTS earshot.labels_local ON CLUSTER `three_shards` (
	set Int64,
	gen UInt64,
	sec Int64 CODEC(DoubleDelta, ZSTD(1)),
	post UInt64,
	since UInt64,
	shard UInt64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/earshot/labels_local', '{replica}')
PARTITION BY intDiv(sec, 2592000)
ORDER BY (set, gen, sec, post)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.labels ON CLUSTER `three_shards` AS earshot.labels_local
ENGINE = Distributed('three_shards', 'earshot', 'labels_local', shard);

CREATE TABLE IF NOT EXISTS earshot.gone_local ON CLUSTER `three_shards` (
	sec Int64,
	row UInt64,
	commit UInt64,
	shard UInt64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/earshot/gone_local', '{replica}')
ORDER BY (sec, row)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.gone ON CLUSTER `three_shards` AS earshot.gone_local
ENGINE = Distributed('three_shards', 'earshot', 'gone_local', shard);

CREATE TABLE IF NOT EXISTS earshot.keys_local ON CLUSTER `three_shards` (
	key UInt128,
	commit UInt64,
	row UInt64,
	post UInt64,
	sec Int64,
	shard UInt64,
	deleted UInt8,
	sets Array(Int64)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/earshot/keys_local', '{replica}')
ORDER BY (key, commit)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 16384;

CREATE TABLE IF NOT EXISTS earshot.keys ON CLUSTER `three_shards` AS earshot.keys_local
ENGINE = Distributed('three_shards', 'earshot', 'keys_local', sipHash64(key));

CREATE TABLE IF NOT EXISTS earshot.sets ON CLUSTER `three_shards` (
	set Int64,
	commit UInt64,
	gen UInt64,
	generation Int64,
	cleared UInt64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/sets', '{shard}-{replica}')
ORDER BY (set, commit)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.counters ON CLUSTER `three_shards` (
	set Int64,
	time Int64,
	posted Int64,
	likes Int64,
	shares Int64,
	comments Int64,
	commit UInt64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/counters', '{shard}-{replica}')
ORDER BY (set, time, posted)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.changed ON CLUSTER `three_shards` (
	set Int64,
	sec Int64,
	commit UInt64,
	key UInt128,
	added UInt8,
	at Int64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/changed', '{shard}-{replica}')
ORDER BY (set, sec)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.touched ON CLUSTER `three_shards` (
	set Int64,
	hour Int64,
	commit SimpleAggregateFunction(max, UInt64)
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/earshot/touched', '{shard}-{replica}')
ORDER BY (set, hour)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.generations ON CLUSTER `three_shards` (
	set Int64,
	gen UInt64,
	at Int64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/generations', '{shard}-{replica}')
ORDER BY (set, gen)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.snapshots ON CLUSTER `three_shards` (
	monitor Int64,
	date String,
	body String,
	commit UInt64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/snapshots', '{shard}-{replica}')
ORDER BY (monitor, date)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.commits ON CLUSTER `three_shards` (
	commit UInt64,
	position UInt64,
	at Int64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/commits', '{shard}-{replica}')
ORDER BY (commit)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.installation ON CLUSTER `three_shards` (
	id String,
	at Int64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/installation', '{shard}-{replica}')
ORDER BY (id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.copies ON CLUSTER `three_shards` (
	part UInt64,
	checkpoint String,
	at Int64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/copies', '{shard}-{replica}')
ORDER BY (part)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS earshot.aborted ON CLUSTER `three_shards` (
	commit UInt64,
	at Int64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/earshot/aborted', '{shard}-{replica}')
ORDER BY (commit)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;
