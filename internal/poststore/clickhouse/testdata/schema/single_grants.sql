GRANT SELECT, INSERT, ALTER DELETE ON earshot.* TO earshot;
GRANT CREATE TABLE ON earshot.* TO earshot;
GRANT SELECT ON system.parts TO earshot;
GRANT CREATE TEMPORARY TABLE ON *.* TO earshot;
