package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"earshot/internal/test/testenv"
)

// A testID names a test or a subtest.
type testID struct{ pkg, test string }

// check compares the tests in the source code with those that passed.
func check() error {
	names, err := runs()
	if err != nil {
		return err
	}
	passed, skipped := map[testID]bool{}, map[testID]string{}
	for _, name := range names {
		err := readRun(name, func(e event) {
			switch id := (testID{e.Package, e.Test}); e.Action {
			case "pass":
				passed[id] = true
			case "skip":
				skipped[id] = e.Output
			}
		})
		if err != nil {
			return err
		}
	}
	written, err := writtenTests()
	if err != nil {
		return err
	}
	return report(os.Stdout, written, passed, skipped)
}

// excuses are the reasons for which a test need not pass.
var excuses = []string{testenv.LongReason, testenv.HelperReason, testenv.MissingReason}

// report prints the tests that did not pass, and returns an error if one of them should have.
func report(out io.Writer, written []testID, passed map[testID]bool, skipped map[testID]string) error {
	left := map[testID]string{}
	for _, id := range written {
		if !passed[id] {
			left[id] = "did not run"
		}
	}
	for id, reason := range skipped {
		if id.test != "" && !passed[id] {
			left[id] = "skipped: " + strings.TrimSpace(reason)
		}
	}
	var wrong, excused int
	for _, id := range slices.SortedFunc(maps.Keys(left), func(a, b testID) int { return strings.Compare(a.pkg+a.test, b.pkg+b.test) }) {
		excuse := slices.IndexFunc(excuses, func(e string) bool { return strings.Contains(left[id], e) })
		if excuse >= 0 {
			excused++
			fmt.Fprintf(out, "%s: %s %s\n", excuses[excuse], id.pkg, id.test)
			continue
		}
		wrong++
		fmt.Fprintf(out, "FAIL: %s %s %s\n", id.pkg, id.test, left[id])
	}
	if wrong > 0 {
		return fmt.Errorf("%d tests passed in no run", wrong)
	}
	fmt.Fprintf(out, "every one of %d tests ran, except for %d that say why not\n", len(written), excused)
	return nil
}

// writtenTests returns the tests and fuzz tests of this module, like go test -list, but without
// linking a binary for each package.
func writtenTests() (tests []testID, err error) {
	list := exec.Command("go", "list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles", "./...")
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, err
	}
	for decode := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := decode.Decode(&p); errors.Is(err, io.EOF) {
			return tests, nil
		} else if err != nil {
			return nil, err
		}
		for _, file := range append(p.TestGoFiles, p.XTestGoFiles...) {
			names, err := testsOf(filepath.Join(p.Dir, file))
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				tests = append(tests, testID{p.ImportPath, name})
			}
		}
	}
}

// testsOf returns the names of the tests in a file.
func testsOf(path string) (names []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name == "TestMain" {
			continue
		}
		for _, prefix := range []string{"Test", "Fuzz"} {
			rest, ok := strings.CutPrefix(f.Name.Name, prefix)
			if ok && (rest == "" || !('a' <= rest[0] && rest[0] <= 'z')) {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names, nil
}

// runs returns the names of the recorded runs.
func runs() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(recordDir, "*.json"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no recorded runs in %s", recordDir)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".json")
	}
	return files, err
}

// readRun calls a function with each event of a recorded run.
func readRun(name string, add func(event)) error {
	file, err := os.Open(filepath.Join(recordDir, name+".json"))
	if err != nil {
		return err
	}
	defer file.Close()
	for decode := json.NewDecoder(file); ; {
		var e event
		if err := decode.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
		add(e)
	}
}
