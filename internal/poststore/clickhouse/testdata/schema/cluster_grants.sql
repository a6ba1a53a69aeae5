GRANT ON CLUSTER `three_shards` SELECT, INSERT, ALTER DELETE ON earshot.* TO earshot;
GRANT ON CLUSTER `three_shards` CREATE TABLE ON earshot.* TO earshot;
GRANT ON CLUSTER `three_shards` SELECT ON system.parts TO earshot;
GRANT ON CLUSTER `three_shards` SELECT ON system.clusters TO earshot;
GRANT ON CLUSTER `three_shards` SELECT ON system.macros TO earshot;
GRANT ON CLUSTER `three_shards` CLUSTER ON *.* TO earshot;
GRANT ON CLUSTER `three_shards` READ, WRITE ON REMOTE TO earshot;
