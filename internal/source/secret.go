package source

import (
	"earshot"
	"earshot/internal/secret/vault"
)

// secretPurpose separates the key for source secrets from other keys that are derived from the
// installation's secret.
const secretPurpose = "earshot live source secrets v1"

// encrypt returns the stored form of a secret. It can be decrypted only for the same source.
func (s *Service) encrypt(id earshot.LiveSourceID, secret string) ([]byte, error) {
	return s.vault().Seal(int64(id), secret)
}

// decrypt is the inverse of encrypt.
func (s *Service) decrypt(id earshot.LiveSourceID, stored []byte) (string, error) {
	return s.vault().Open(int64(id), stored)
}

func (s *Service) vault() vault.Vault { return vault.Vault{Key: s.Secret, Purpose: secretPurpose} }
