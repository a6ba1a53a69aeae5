// Package natspromise tests what docs/decisions/0072-several-nodes.md assumes about NATS: nodes run in
// processes of their own, which are killed without notice. It is a package of its own so that Go's
// test cache skips it until package natsnode or the version of NATS changes.
package natspromise
