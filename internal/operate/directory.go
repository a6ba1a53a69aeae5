package operate

import (
	"path/filepath"

	"earshot/internal/account"
	"earshot/internal/config"
)

// NATSDir is the directory of the embedded NATS server.
func NATSDir(cfg config.Config) string { return filepath.Join(cfg.Data, "nats") }

// PostsDir is the directory of the local post store.
func PostsDir(cfg config.Config) string { return filepath.Join(cfg.Data, "posts") }

// SecretFile is the file with the key that signs tokens. Its checksum is in the data directory,
// because the secret itself may be in a directory that is read-only.
func SecretFile(cfg config.Config) account.SecretFile {
	return account.SecretFile{Path: cfg.SecretPath(), Checksum: filepath.Join(cfg.Data, "secret.sum")}
}
