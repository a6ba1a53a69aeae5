// Package operate has what an operator does with the data directory of a service: check, repair,
// restore and copy it. It also verifies the data of the running service in the background.
package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/operate/integrity"
	"earshot/internal/poststore/local"
	"earshot/internal/state/acklog"
	journalstore "earshot/internal/state/journal/jetstream"
	"earshot/internal/state/natsfile"
	"earshot/internal/state/natsnode"
)

// A checkable is a part of the data directory that verifies and repairs its own files. Each
// function gets the directory of the part, which may not exist.
type checkable struct {
	name string
	dir  string

	// size returns the number of bytes that check will verify, as its progress counts them.
	size func(dir string) (int64, error)
	// check returns everything that is damaged or missing. With live, another process may be
	// writing.
	check func(ctx context.Context, dir string, live bool, progress integrity.Progress) ([]integrity.Finding, error)
	// plan returns the repairs of everything that check finds and that prevents a start.
	plan func(ctx context.Context, dir string) ([]integrity.Repair, error)
}

// checkables returns the parts of the data directory.
func checkables(cfg config.Config) []checkable {
	parts := []checkable{secretPart(cfg)}
	switch {
	case cfg.NATSURL != "":
	case natsnode.IsMember(NATSDir(cfg)):
		parts = append(parts, replicaPart(cfg))
	default:
		parts = append(parts, natsPart(cfg))
	}
	if _, remote := cfg.ClickHouse(); !remote {
		parts = append(parts, postsPart(cfg))
	}
	return parts
}

// replicaPart is the files of a NATS server in a cluster. The other nodes have the same contents.
func replicaPart(cfg config.Config) checkable {
	return checkable{
		name: "replicas of the journal, the catalog, streams and analyses",
		dir:  NATSDir(cfg),
		size: natsfile.Size,
		check: func(ctx context.Context, dir string, live bool, progress integrity.Progress) ([]integrity.Finding, error) {
			if live {
				return nil, nil // the server changes its files, and there is no record of what they must contain
			}
			return natsnode.CheckMember(ctx, dir, progress)
		},
		plan: func(ctx context.Context, dir string) ([]integrity.Repair, error) {
			findings, err := natsnode.CheckMember(ctx, dir, nil)
			if err != nil || len(findings) == 0 {
				return nil, err
			}
			return []integrity.Repair{{
				Part:    "replication",
				Summary: fmt.Sprintf("move %s to %[1]s.damaged, so that the node gets everything from the other nodes", dir),
				Apply:   func(context.Context) error { return os.Rename(dir, dir+".damaged") },
			}}, nil
		},
	}
}

// natsPart is everything in the files of the embedded NATS server.
func natsPart(cfg config.Config) checkable {
	return checkable{
		name: "journal, catalog, streams and analyses",
		dir:  NATSDir(cfg),
		size: natsfile.Size,
		check: func(ctx context.Context, dir string, live bool, progress integrity.Progress) ([]integrity.Finding, error) {
			o := natsfile.Options{Dir: dir, Live: live, Progress: progress}
			if _, remote := cfg.ClickHouse(); live || remote { // posts in the directory may be older, before a copy to ClickHouse
				return natsfile.Check(ctx, o)
			}
			posts, err := local.Inspect(PostsDir(cfg))
			if err != nil {
				return natsfile.Check(ctx, o) // the check of the posts reports the reason
			}
			return natsnode.Check(ctx, o, PeerOf(StoreInfo(posts)))
		},
		plan: func(ctx context.Context, dir string) ([]integrity.Repair, error) {
			return natsfile.Plan(ctx, natsfile.Options{Dir: dir})
		},
	}
}

// postsPart is the post store.
func postsPart(cfg config.Config) checkable {
	return checkable{
		name: integrity.Posts,
		dir:  PostsDir(cfg),
		size: local.Size,
		check: func(ctx context.Context, dir string, live bool, progress integrity.Progress) ([]integrity.Finding, error) {
			return local.Check(ctx, local.CheckOptions{Dir: dir, Live: live, Progress: progress})
		},
		plan: func(ctx context.Context, dir string) ([]integrity.Repair, error) {
			return local.Plan(ctx, dir, trimmedUpTo(cfg))
		},
	}
}

// trimmedUpTo returns the position up to which the journal of the embedded server was trimmed, or 0
// if that is unknown.
func trimmedUpTo(cfg config.Config) earshot.Position {
	acknowledged, err := acklog.Read(NATSDir(cfg))
	if err != nil || cfg.NATSURL != "" {
		return 0
	}
	if s := acknowledged.Streams[journalstore.StreamName]; s != nil {
		return earshot.Position(s.Floor)
	}
	return 0
}

// secretPart is the key that signs tokens.
func secretPart(cfg config.Config) checkable {
	secret := SecretFile(cfg)
	return checkable{
		name: integrity.Secret,
		dir:  secret.Path,
		size: func(string) (int64, error) { return 0, nil },
		check: func(context.Context, string, bool, integrity.Progress) ([]integrity.Finding, error) {
			return secret.Check()
		},
		plan: func(context.Context, string) ([]integrity.Repair, error) { return secret.Plan() },
	}
}

// A CheckResult is the result of [Check].
type CheckResult struct {
	Running  bool                // a service was using the directory
	External bool                // everything except the posts is in an external NATS server, which was not checked
	Parts    []CheckedPart       // what was verified
	Findings []integrity.Finding // what is damaged or missing
}

// A CheckedPart is a part of the data directory that was verified.
type CheckedPart struct {
	Name  string
	Bytes int64
}

// Bytes returns the number of bytes that were verified.
func (r *CheckResult) Bytes() (total int64) {
	for _, p := range r.Parts {
		total += p.Bytes
	}
	return total
}

// Check verifies all data in the data directory, without changing anything. A service may be
// running in the directory. If none is, none can start until Check returns. progress is called
// with the number of bytes verified so far and in total, from one goroutine at a time; it may be
// nil. An error means that the data could not be checked.
func Check(ctx context.Context, cfg config.Config, progress func(done, total int64)) (*CheckResult, error) {
	unlock, err := lockIfStopped(cfg)
	if err != nil {
		return nil, err
	}
	r := &CheckResult{Running: unlock == nil, External: cfg.NATSURL != ""}
	if unlock != nil {
		defer unlock.Close()
	}
	if r.Findings = checkDirectory(cfg); len(r.Findings) > 0 {
		return r, nil // the rest is incomplete, too
	}
	return r, r.checkParts(ctx, checkables(cfg), progress)
}

// lockIfStopped locks the data directory. It returns nil if a service is using it.
func lockIfStopped(cfg config.Config) (io.Closer, error) {
	if _, err := os.Stat(cfg.Data); err != nil {
		return nil, err
	}
	dir := NATSDir(cfg)
	if _, err := os.Stat(dir); cfg.NATSURL != "" || errors.Is(err, fs.ErrNotExist) {
		return io.NopCloser(nil), nil // with an external server there is nothing to lock
	}
	unlock, err := natsnode.Lock(dir)
	switch {
	case errors.Is(err, natsnode.ErrInUse):
		return nil, nil
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return io.NopCloser(nil), nil // a copy on a read-only disk: no service can use it
	}
	return unlock, err
}

// checkDirectory reports an unfinished restore or repair.
func checkDirectory(cfg config.Config) []integrity.Finding {
	if err := CheckFinished(cfg.Data); err != nil {
		return []integrity.Finding{{Part: integrity.Directory, File: cfg.Data, Problem: err.Error()}}
	}
	return nil
}

// checkParts verifies the parts and adds the results.
func (r *CheckResult) checkParts(ctx context.Context, parts []checkable, progress func(done, total int64)) error {
	sizes := make([]int64, len(parts))
	var done, total int64
	for i, p := range parts {
		var err error
		if sizes[i], err = p.size(p.dir); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		total += sizes[i]
	}
	for _, p := range parts {
		part := CheckedPart{Name: p.name}
		findings, err := p.check(ctx, p.dir, r.Running, func(n int64) {
			done, part.Bytes = done+n, part.Bytes+n
			if progress != nil {
				progress(done, max(done, total)) // a live directory grows
			}
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		r.Parts = append(r.Parts, part)
		r.Findings = append(r.Findings, findings...)
	}
	return nil
}

// VerifyState returns an error if files of the embedded NATS server of the running service are
// damaged.
func VerifyState(ctx context.Context, cfg config.Config) error {
	if cfg.NATSURL != "" || cfg.Clustered() { // a backup reads from the leaders of the streams, not from these files
		return nil
	}
	findings, err := natsfile.Check(ctx, natsfile.Options{Dir: NATSDir(cfg), Live: true})
	return damaged(findings, err)
}

// verifyRestored returns an error if data that was just restored is damaged.
func verifyRestored(ctx context.Context, cfg config.Config) error {
	r := &CheckResult{}
	err := r.checkParts(ctx, checkables(cfg), nil)
	return damaged(r.Findings, err)
}

// maxReasons limits the findings in an error.
const maxReasons = 20

// damaged returns err, or an error that lists the findings, or nil.
func damaged(findings []integrity.Finding, err error) error {
	if err != nil || len(findings) == 0 {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the stored data is damaged (%d findings)", len(findings))
	for _, f := range findings[:min(len(findings), maxReasons)] {
		b.WriteString("\n  " + f.String())
	}
	return errors.New(b.String())
}
