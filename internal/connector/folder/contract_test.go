package folder_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/connectortest"
	"earshot/internal/connector/folder"
	"earshot/internal/test/testenv"
)

func TestContract(t *testing.T) { connectortest.Run(t, testenv.Race, newFake) }

// A writer is a program that writes files.
type writer struct {
	dir string

	mu    sync.Mutex // guards the fields below
	files int
	posts int
}

func newFake(t *testing.T, _ connectortest.Clock) *connectortest.Fake {
	w := &writer{dir: t.TempDir()}
	return &connectortest.Fake{
		Kind:     folder.Kind(),
		Settings: connector.Settings{"path": w.dir},
		Source:   earshot.LiveSource{Name: "Shop", Team: 3, ContentSource: 9},
		Scale:    500, // one second is 2 ms
		Publish: func(n int) (guids []string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			var lines []string
			for range n {
				w.posts++
				guids = append(guids, fmt.Sprint("g", w.posts))
				lines = append(lines, post(guids[len(guids)-1], connectortest.Word+" is here"))
			}
			w.write(lines)
			return guids
		},
		Edit: func(guid string) string {
			w.mu.Lock()
			defer w.mu.Unlock()
			word := fmt.Sprint("version", w.files)
			w.write([]string{post(guid, connectortest.Word+" "+word)})
			return word
		},
		Delete: func(guid string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.write([]string{fmt.Sprintf(`{"guid":"%s","deleted":true}`, guid)})
		},
		Junk: func(n int) {
			w.mu.Lock()
			defer w.mu.Unlock()
			for range n {
				w.put("jsonl", "\x00\xff\xfe\n{}\n[]\nnull\n"+strings.Repeat("x", 2<<20)+"\n{\"guid\":\"j\",\"contents\":\"\xff\"}\n"+fmt.Sprint(w.files))
				w.put("csv", "\x89PNG\r\n"+fmt.Sprint(w.files))
				w.put("csv", "guid,contents\n1,\"open"+strings.Repeat("\n", 2<<20)+fmt.Sprint(w.files))
				w.put("json", "["+strings.Repeat("[", 1<<20)+fmt.Sprint(w.files))
				w.put("jsonl.gz", "not compressed"+fmt.Sprint(w.files))
				w.put("jsonl.gz", bomb()+compressed(fmt.Sprint(w.files)))
				w.put("txt", "not for us")
				w.files++
				if err := os.Mkdir(w.path("csv"), 0o755); err != nil {
					panic(err)
				}
				w.files++
				if err := os.Symlink("/proc/self/mounts", w.path("csv")); err != nil {
					panic(err)
				}
			}
		},
	}
}

func post(guid, text string) string {
	return fmt.Sprintf(`{"guid":"%s","date":"2026-03-10T12:00:00Z","contents":"%s"}`, guid, text)
}

// write writes records, each time in another format. The caller holds w.mu.
func (w *writer) write(lines []string) {
	text := strings.Join(lines, "\n")
	switch w.files % 5 {
	case 0:
		w.put("jsonl", text)
	case 1:
		w.put("ndjson.gz", compressed(text))
	case 2:
		w.put("json", "[\n"+strings.Join(lines, ",\n")+"\n]\n")
	case 3:
		w.put("json", fmt.Sprintf(`{"items":[%s]}`, strings.Join(lines, ",")))
	case 4:
		rows := []string{"guid,date,contents,deleted"}
		for _, line := range lines {
			cell := func(name string) string {
				_, rest, _ := strings.Cut(line, `"`+name+`":"`)
				value, _, _ := strings.Cut(rest, `"`)
				return value
			}
			deleted := ""
			if strings.Contains(line, "deleted") {
				deleted = "true"
			}
			rows = append(rows, cell("guid")+","+cell("date")+","+cell("contents")+","+deleted)
		}
		w.put("csv", strings.Join(rows, "\r\n"))
	}
}

func (w *writer) path(ending string) string {
	return filepath.Join(w.dir, fmt.Sprintf("%06d.%s", w.files, ending))
}

// put writes a file under another name first, as programs should.
func (w *writer) put(ending, text string) {
	w.files++
	path := w.path(ending)
	if err := os.WriteFile(path+".part", []byte(text), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		panic(err)
	}
}

// bomb is a small file that expands to 100 MB.
var bomb = sync.OnceValue(func() string { return compressed(strings.Repeat("\x00", 100<<20)) })

func compressed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}
