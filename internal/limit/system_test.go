package limit

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSystemMemory(t *testing.T) {
	const meminfo = "MemTotal:       16777216 kB\nMemFree: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"unknown":  {map[string]string{}, 0},
		"physical": {map[string]string{"proc/meminfo": meminfo}, 16 << 30},
		"version 2 in a container": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "536870912\n"}, 512 << 20},
		"version 2, the limit of a group above": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/system.slice/earshot.service\n",
			"sys/fs/cgroup/system.slice/earshot.service/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.max": "1073741824\n"}, 1 << 30},
		"version 1": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/docker/1\n",
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "268435456\n"}, 256 << 20},
		"version 1 without a limit": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 16 << 30},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			file = filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := systemMemory(root); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

func TestSizes(t *testing.T) {
	f := func(o Options, memory int64, connections Connections) {
		t.Helper()
		l := New(o)
		if l.Memory.Total() != memory || l.Connections != connections {
			t.Errorf("%+v: got %d, %+v, want %d, %+v", o, l.Memory.Total(), l.Connections, memory, connections)
		}
	}
	f(Options{System: System{Memory: 64 << 30, Files: 1 << 20}}, 1<<30, Connections{2048, 1024, 64})
	f(Options{System: System{Memory: 512 << 20, Files: 1024}}, 128<<20, Connections{640, 320, 64})
	f(Options{System: System{Memory: 100 << 20, Files: 256}}, 64<<20, Connections{96, 48, 16})
	f(Options{System: System{Memory: 100 << 20, Files: 64}}, 64<<20, Connections{12, 6, 2})
	f(Options{System: System{Files: 1 << 20}, Memory: 1 << 20, Connections: 10, PerAddress: 3}, 1<<20, Connections{10, 3, 64})
	f(Options{System: System{Files: 1 << 20}, Connections: 10, PerAddress: 30}, 256<<20, Connections{10, 10, 64})
	if s := ReadSystem(); s.Memory <= 0 || s.Files < 0 {
		t.Errorf("this system: got %+v", s)
	}
}
