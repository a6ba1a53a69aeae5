package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot/internal/connector/bluesky/blueskytest"
	"earshot/internal/test/testenv"
)

// maxFirstCount is how long it may take from adding a source until a monitor counts its posts.
const maxFirstCount = 10 * time.Second

// TestOneCommandBringsPosts starts the service for the first time, adds Bluesky with one command,
// and waits until a monitor counts what is published there.
func TestOneCommandBringsPosts(t *testing.T) {
	testenv.SkipUnderRace(t)
	network := blueskytest.Start(blueskytest.Options{})
	defer network.Close()
	dir := t.TempDir()
	installProgram(t, dir)
	address := startService(t, dir)

	var token string
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bin/earshot", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "EARSHOT_SERVER=http://"+address, "EARSHOT_PASSWORD=correct horse battery", "EARSHOT_TOKEN="+token)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("earshot %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	token = strings.TrimSpace(run("login", "--username", "admin"))
	run("team", "add", "--name", "Press")
	team := regexp.MustCompile(`(?m)^(\d+) +Press`).FindStringSubmatch(run("team", "list"))[1]
	monitor := regexp.MustCompile(`(?m)^id +(\d+)$`).FindStringSubmatch(run("monitor", "add", "--name", "Lighthouses", "--team", team, "--keywords", "lighthouse"))[1]

	added := time.Now()
	settings := network.Settings()
	run("source", "add", "bluesky", "--name", "Bluesky", "--team", "Press", "--url", settings["url"], "--set", "api_url="+settings["api_url"])
	// The source delivers what is published after it has connected.
	published := 0
	url := fmt.Sprintf("http://%s/manage/v1/monitors/%s/overview?parts=days&auth=%s", address, monitor, token)
	posts := regexp.MustCompile(`"posts":([1-9]\d*)`)
	for wait := time.NewTicker(50 * time.Millisecond); ; <-wait.C {
		if network.Connections() > 0 && published < 5 {
			published++
			network.Publish(fmt.Sprintf("The lighthouse of bay %d shines again", published))
		}
		body := fetch(t, url)
		if m := posts.FindStringSubmatch(body); m != nil && published == 5 && m[1] == "5" {
			break
		}
		if time.Since(added) > maxFirstCount {
			t.Fatalf("after %v the monitor does not count the posts: %.300s", maxFirstCount, body)
		}
	}
	t.Logf("the monitor counts posts after %v", time.Since(added))
	if out := run("source", "list"); !regexp.MustCompile(`Bluesky +bluesky +Press +live +5`).MatchString(out) {
		t.Errorf("source list:\n%s", out)
	}
}

// startService starts the service with an empty data directory on a free port, and returns its
// address. Sources may connect to servers of the test.
func startService(t *testing.T, dir string) string {
	t.Helper()
	service := exec.Command("bin/earshot", "serve", "--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0", "--sources-allow-private-addresses=true")
	service.Dir = dir
	service.Env = append(os.Environ(), "EARSHOT_ADMIN_PASSWORD=correct horse battery")
	log, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		service.Process.Signal(syscall.SIGTERM)
		if err := service.Wait(); err != nil {
			t.Errorf("stop the service: %v", err)
		}
	})
	ready := regexp.MustCompile(`msg=ready address=(\S+)`)
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			go io.Copy(io.Discard, log)
			return m[1]
		}
	}
	t.Fatal("the service ended before it was ready")
	return ""
}
