package natsnode

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"
)

// clusterServerName is the name in the certificates of all nodes. It is the same for all of them,
// because the secret, not the address, proves that a server belongs to the cluster.
const clusterServerName = "earshot-cluster"

// newTLSConfig returns the configuration of connections between nodes: TLS 1.3, where both sides
// must have a certificate. The key of the certificate authority is derived from the secret that all
// nodes share, so nodes need no certificate files. Each start creates a new certificate. Certificates
// do not expire, because the clocks of nodes need not agree, and whoever has the secret could create
// new ones anyway.
func newTLSConfig(secret []byte, nodeName string) (*tls.Config, error) {
	seed, err := hkdf.Key(sha256.New, secret, nil, "earshot cluster certificate authority", ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("derive the key of the cluster: %w", err)
	}
	authorityKey := ed25519.NewKeyFromSeed(seed)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "Earshot cluster"},
		NotBefore:             time.Unix(0, 0),
		NotAfter:              time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), // "never" in RFC 5280
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, authorityKey.Public(), authorityKey)
	if err != nil {
		return nil, fmt.Errorf("create the certificate authority of the cluster: %w", err)
	}
	authority, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	leaf, err := newCertificate(authority, authorityKey, nodeName)
	if err != nil {
		return nil, fmt.Errorf("create the certificate of the node: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(authority)
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{leaf},
		ServerName:   clusterServerName,
		RootCAs:      pool,
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    pool,
	}, nil
}

// newCertificate returns a certificate with a new key.
func newCertificate(authority *x509.Certificate, authorityKey ed25519.PrivateKey, nodeName string) (c tls.Certificate, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return c, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return c, err
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: nodeName},
		DNSNames:     []string{clusterServerName},
		NotBefore:    authority.NotBefore,
		NotAfter:     authority.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, authority, public, authorityKey)
	if err != nil {
		return c, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, nil
}
