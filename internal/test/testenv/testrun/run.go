package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// An event is a line of go test -json.
type event struct {
	Action  string
	Package string  `json:",omitempty"`
	Test    string  `json:",omitempty"`
	Elapsed float64 `json:",omitempty"` // seconds
	Output  string  `json:",omitempty"`
}

// run executes go test, and prints a line for each package and the output of tests that failed. It
// records the result of each test.
func run(name string, cpu bool, args []string) error {
	if err := os.MkdirAll(recordDir, 0o755); err != nil {
		return err
	}
	record, err := os.Create(filepath.Join(recordDir, name+".json"))
	if err != nil {
		return err
	}
	defer record.Close()
	flags := []string{"test", "-json"}
	if cpu {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		flags = append(flags, "-exec", self+" exec")
	}
	cmd := exec.Command("go", append(flags, args...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &printer{out: os.Stdout, record: json.NewEncoder(record), output: map[string]map[string]string{}}
	failed := p.read(events)
	if failed != nil {
		cmd.Process.Kill() // nobody reads its output any more
	}
	fmt.Printf("%s: %d packages, %d tests, %v\n", name, p.packages, p.tests, time.Since(began).Round(time.Second))
	return errors.Join(failed, cmd.Wait())
}

// A printer prints a line for each package, and the output of tests that failed.
type printer struct {
	out             io.Writer
	record          *json.Encoder
	output          map[string]map[string]string // of tests that have not passed, by package and test
	packages, tests int
}

// read handles all events, and prints lines that are not events.
func (p *printer) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			fmt.Fprintf(p.out, "%s", line)
			continue
		}
		if err := p.add(e); err != nil {
			return err
		}
	}
}

func (p *printer) add(e event) error {
	if p.output[e.Package] == nil {
		p.output[e.Package] = map[string]string{}
	}
	output := p.output[e.Package]
	switch e.Action {
	case "build-output":
		fmt.Fprint(p.out, e.Output)
	case "output":
		output[e.Test] += e.Output
		if strings.HasPrefix(e.Output, cpuLine) {
			return p.record.Encode(e)
		}
	case "pass", "fail", "skip":
		if e.Action == "skip" { // the reason
			e.Output = output[e.Test]
		}
		if e.Action != "fail" && e.Test != "" {
			delete(output, e.Test)
		}
		switch {
		case e.Test == "":
			p.endPackage(e)
		case !strings.Contains(e.Test, "/"):
			p.tests++
		}
		return p.record.Encode(e)
	}
	return nil
}

// endPackage prints the result of a package.
func (p *printer) endPackage(e event) {
	output := p.output[e.Package]
	delete(p.output, e.Package)
	if e.Action == "skip" { // it has no tests
		return
	}
	p.packages++
	if e.Action == "fail" {
		for _, test := range slices.Sorted(maps.Keys(output)) {
			if test != "" {
				fmt.Fprint(p.out, output[test])
			}
		}
		fmt.Fprintf(p.out, "%sFAIL\t%s\t%.1fs\n", output[""], e.Package, e.Elapsed)
		return
	}
	cached := ""
	if strings.Contains(output[""], "\t(cached)") {
		cached = " (cached)"
	}
	fmt.Fprintf(p.out, "ok\t%s\t%.1fs%s\n", e.Package, e.Elapsed, cached)
}

// cpuLine begins the line that measure adds to the output of a test binary.
const cpuLine = "testrun-cpu "

// measure runs a test binary, and prints how much processor time it and its child processes used.
func measure(command []string) int {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT) // go test sends them after its time limit
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		for s := range signals {
			cmd.Process.Signal(s)
		}
	}()
	cmd.Wait()
	state := cmd.ProcessState
	fmt.Printf("%s%.2f\n", cpuLine, (state.UserTime() + state.SystemTime()).Seconds())
	return state.ExitCode()
}
