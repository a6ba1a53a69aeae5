//go:build unix

package natsnode_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"

	"earshot/internal/state/kv"
	"earshot/internal/state/lease"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// pausedEnv tells the test binary to be the process that TestAPausedProcessCannotWrite pauses. It
// contains the URLs of the servers.
const pausedEnv = "EARSHOT_TEST_PAUSED"

// roles returns what runs a role with a fence in the log and the bucket.
func roles(t testing.TB, f *fenced, name string) *lease.Manager {
	t.Helper()
	leases, err := natsnode.OpenBucket(t.Context(), f.node, natsnode.BucketOptions{Name: lease.BucketName})
	if err != nil {
		t.Fatal(err)
	}
	return &lease.Manager{Store: leases, NodeName: name, Fence: func(ctx context.Context, role string) (context.Context, error) {
		fence, err := f.node.RaiseFence(ctx, role, "KV_b", "LOG")
		if err != nil {
			return nil, err
		}
		return natsnode.WithFence(ctx, fence), nil
	}}
}

// TestPausedProcess is the process that is paused. It ignores the end of its lease, because a process
// can be paused after it has checked the lease.
func TestPausedProcess(t *testing.T) {
	urls := os.Getenv(pausedEnv)
	if urls == "" {
		testenv.SkipHelper(t, "TestAPausedProcessCannotWrite")
	}
	node, err := natsnode.Open(t.Context(), natsnode.Options{URL: urls, Replicas: 3, Fences: true})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	f := openFenced(t, node)
	roles(t, f, "paused").Do(t.Context(), "role", func(string) {}, func(ctx context.Context) {
		ctx = context.WithoutCancel(ctx)
		for i := 0; ; i++ {
			errs := []error{f.publishOld(ctx, i), f.putOld(ctx, i)}
			for _, err := range errs {
				if err != nil && !errors.Is(err, kv.ErrFenced) {
					fmt.Println("failed:", err)
					return
				}
			}
			if errs[0] != nil && errs[1] != nil {
				fmt.Println("fenced")
				return
			}
			fmt.Println("wrote")
		}
	})
}

func (f *fenced) publishOld(ctx context.Context, i int) error {
	_, err := f.node.Publish(ctx, &nats.Msg{Subject: "log", Data: fmt.Append(nil, "old ", i)})
	return err
}

func (f *fenced) putOld(ctx context.Context, i int) error {
	_, err := f.bucket.Put(ctx, fmt.Sprint("old.", i), []byte("old"), 0)
	return err
}

// A process with a role is paused between two writes for longer than its lease lasts. When it
// continues, another process has the role, and nothing that the first one writes is stored.
func TestAPausedProcessCannotWrite(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	t.Parallel()             // it waits for the lease to run out
	cluster := natstest.Start(t, 3)
	f := openFenced(t, cluster.Open(t))
	manager := roles(t, f, "other")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPausedProcess$", "-test.v")
	child.Env = append(os.Environ(), pausedEnv+"="+cluster.Options().URL)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for wrote := 0; wrote < 10 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "wrote") {
			wrote++
		}
	}
	if err := child.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var waited bool
	manager.Do(t.Context(), "role", func(node string) { waited = node == "paused" }, func(ctx context.Context) {
		if _, err := f.node.Publish(ctx, &nats.Msg{Subject: "log", Data: []byte("new")}); err != nil {
			t.Error(err)
		}
		if _, err := f.bucket.Put(ctx, "new", []byte("new"), 0); err != nil {
			t.Error(err)
		}
		if err := child.Process.Signal(syscall.SIGCONT); err != nil {
			t.Error(err)
		}
		last := ""
		for lines.Scan() {
			if last = lines.Text(); last == "fenced" || strings.HasPrefix(last, "failed") {
				break
			}
		}
		if last != "fenced" {
			t.Errorf("the paused process ended with %q, want fenced", last)
		}
	})
	if err := child.Wait(); err != nil {
		t.Errorf("the paused process: %v", err)
	}
	if !waited {
		t.Error("the other process did not wait for the lease")
	}
	for _, stream := range []string{"LOG", "KV_b"} {
		list := f.messages(stream)
		if len(list) < 11 || !strings.HasSuffix(list[len(list)-1], "new") {
			t.Errorf("%s has %q, want at least ten old messages and then a new one", stream, list)
		}
	}
}
