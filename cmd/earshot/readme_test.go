package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot/internal/test/testenv"
)

// TestMain runs the program instead of the tests if EARSHOT_TEST_MAIN is set. TestReadme uses this
// for bin/earshot.
func TestMain(m *testing.M) {
	if os.Getenv("EARSHOT_TEST_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestReadme starts the demo and runs the commands of the README's tutorial in a shell, as a new
// user would paste them.
func TestReadme(t *testing.T) {
	testenv.SkipUnderRace(t)
	dir := t.TempDir()
	installProgram(t, dir)
	address := startDemo(t, dir)

	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(readme, -1) {
		script.Write(block[1])
	}
	if n := strings.Count(script.String(), "http://127.0.0.1:8080"); n != 1 {
		t.Fatalf("the tutorial has the demo's address %d times, want once", n)
	}
	fmt.Fprintln(&script, `echo "SOURCES=$API/sources?auth=$EARSHOT_TOKEN&id=$ID&start=$END"`)
	// Matching stored posts takes a moment, but longer on a machine that is busy with tests.
	const volume = `curl -s "$API/volume?auth=$EARSHOT_TOKEN&id=$ID&start=$START&end=$END"`
	tutorial := strings.Replace(script.String(), volume,
		"for i in $(seq 2000); do "+volume+` | grep -q '"numberOfDocuments":[1-9]' && break; done`+"\n"+volume, 1)
	shell := exec.CommandContext(t.Context(), "sh", "-eu", "-c", strings.ReplaceAll(tutorial, "127.0.0.1:8080", address))
	shell.Dir = dir
	shell.Env = append(os.Environ(), "EARSHOT_SERVER=http://"+address)
	shell.Stderr = t.Output()
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("the tutorial failed: %v\n%.3000s", err, out)
	}
	for _, want := range []string{
		`2147483650 +Demo`,
		`normal form: \(milk OR latte OR cappuccino\) AND NOT recall`,
		`"groupBy":"DAILY","numberOfDocuments":[1-9]\d*,`,
		`"category":"Basic Negative","proportion":0`,
		`survey.csv: 2 accepted, 0 rejected`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("the tutorial's output does not match %s:\n%.3000s", want, out)
		}
	}
	posts, err := os.ReadFile(filepath.Join(dir, "posts.json"))
	if err != nil || !strings.HasPrefix(string(posts), `{"posts":[{"url":`) {
		t.Errorf("posts.json has %.100s, %v", posts, err)
	}

	// Counting takes less than two seconds, but longer on a machine that is busy with tests.
	url := regexp.MustCompile(`SOURCES=(.*)`).FindStringSubmatch(string(out))[1]
	url += "&end=" + time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	for deadline := time.Now().Add(time.Minute); ; {
		if body := fetch(t, url); strings.Contains(body, `"Survey":2`) {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the imported posts are not counted: %s", body)
		}
	}
}

// installProgram creates bin/earshot in a directory.
func installProgram(t *testing.T, dir string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nEARSHOT_TEST_MAIN=1 exec '%s' \"$@\"\n", program)
	if err := os.WriteFile(filepath.Join(dir, "bin/earshot"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// startDemo starts the demo on a free port and returns its address.
func startDemo(t *testing.T, dir string) string {
	t.Helper()
	demo := exec.Command("bin/earshot", "demo", "--data", filepath.Join(dir, "demo-data"), "--listen", "127.0.0.1:0")
	demo.Dir = dir
	demo.Stderr = t.Output()
	out, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		demo.Process.Signal(syscall.SIGTERM)
		if err := demo.Wait(); err != nil {
			t.Errorf("stop the demo: %v", err)
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, address, found := strings.Cut(lines.Text(), "running at http://"); found {
			go io.Copy(io.Discard, out)
			return address
		}
	}
	t.Fatal("the demo ended before it was ready")
	return ""
}

// fetch returns the body of a response.
func fetch(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
