package limit

import (
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// A System is what the operating system grants the process. 0 means unknown.
type System struct {
	Memory int64 // bytes: GOMEMLIMIT, or the limit of the control group, or the physical memory
	Files  int   // open file descriptors
}

// ReadSystem returns the limits of this process. The Go runtime has already raised the limit on file
// descriptors as far as the system allows.
func ReadSystem() System {
	memory := debug.SetMemoryLimit(-1) // does not change it
	if memory == math.MaxInt64 {
		memory = systemMemory("/")
	}
	return System{Memory: memory, Files: maxFiles()}
}

// systemMemory returns the memory limit of the control group or, if that is larger, the physical
// memory. root is the directory that contains proc and sys.
func systemMemory(root string) int64 {
	limit := physicalMemory(root)
	for _, file := range groupFiles(root) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// Version 2 says "max" without a limit, version 1 a number larger than any memory.
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	return limit
}

// groupFiles returns the files that may contain the memory limit of the process: those of its control
// group and of all groups above it. In a container, the group's own directory is usually the root of
// the mounted hierarchy.
func groupFiles(root string) []string {
	var files []string
	groups, _ := os.ReadFile(path.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, group
		if len(fields) < 3 {
			continue
		}
		hierarchy, name := "", ""
		switch {
		case fields[1] == "":
			hierarchy, name = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+fields[1]+",", ",memory,"):
			hierarchy, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			files = append(files, path.Join(root, hierarchy, group, name))
			if group == "/" {
				break
			}
		}
	}
	return files
}

// physicalMemory returns the memory of the machine, or 0 if it is unknown.
func physicalMemory(root string) int64 {
	text, _ := os.ReadFile(path.Join(root, "proc/meminfo"))
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}
