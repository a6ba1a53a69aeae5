package main

import (
	"cmp"
	"encoding/json"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"earshot/internal/model/enrich"
)

// A build describes how the program was built.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`

	Models map[string]int `json:"models"`
}

// version and commit are set by the linker; see the Makefile.
var version, commit string

// readBuild returns the values set by the linker, or else the ones recorded by the compiler.
func readBuild() build {
	b := build{Version: version, Commit: commit, Go: runtime.Version(), Models: enrich.Versions()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(b.Version, info.Main.Version)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = cmp.Or(b.Commit, s.Value)
		}
	}
	return b
}

func (p *program) versionCommand() *cobra.Command {
	return p.command("version", "Print the version", func(*cobra.Command, []string) error {
		raw, err := json.Marshal(readBuild())
		if err != nil {
			return err
		}
		return p.printRecord(raw)
	})
}
