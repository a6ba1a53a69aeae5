package cluster

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"earshot/internal/state/catalog"
)

// AgreeOnSecret returns an error if other nodes have another secret than this one, which it has read
// from file. Their tokens and sessions would be invalid on this node. If accept is true, the secret of
// this node becomes that of the cluster.
func AgreeOnSecret(ctx context.Context, c *catalog.Catalog, secret []byte, file string, accept bool) error {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("earshot secret fingerprint"))
	fingerprint := hex.EncodeToString(mac.Sum(nil)[:16])
	if accept {
		return c.SetSecretFingerprint(ctx, fingerprint)
	}
	agreed, err := c.AgreeOnSecret(ctx, fingerprint)
	if err != nil {
		return fmt.Errorf("compare the token secret with that of other nodes: %w", err)
	}
	if agreed != fingerprint {
		return fmt.Errorf("the token secret in %s is not the one of the other nodes: copy the file from another node. "+
			"If you have replaced it on all nodes, start one of them once with --accept-secret", file)
	}
	return nil
}
