package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"earshot/internal/config"
	"earshot/internal/operate"
	"earshot/internal/operate/integrity"
)

func (p *program) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Verify all stored data",
		Long: `Verify all data in a data directory without changing anything: users, teams and
monitors, the journal, streams, analyses, dead letters, and every stored post. Each
problem is printed on one line. The service may be running; if it is not, it cannot
start until the check has ended.

The exit code is 0 if the data is sound, and 1 if something is damaged or missing or
if the data cannot be checked. With --nats-url only the posts are checked. Posts in
ClickHouse are not checked: ClickHouse verifies its own checksums; see also
"earshot check store".`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(p.checkStoreCommand())
	addFlags(cmd.Flags(), restoreFlags)
	file := cmd.Flags().String("config", "", "configuration `file`")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(cmd.Flags(), *file, p.environ)
		if err != nil {
			return err
		}
		bar := p.newByteBar("Verifying")
		result, err := operate.Check(cmd.Context(), cfg, bar.step)
		bar.end()
		if err != nil {
			return fmt.Errorf("could not check %s: %w", cfg.Data, err)
		}
		if err := p.printCheck(cfg, result); err != nil {
			return err
		}
		if n := len(result.Findings); n > 0 {
			return fmt.Errorf("%s found in %s", plural(n, "problem"), cfg.Data)
		}
		return nil
	})
	return cmd
}

func (p *program) printCheck(cfg config.Config, r *operate.CheckResult) error {
	if p.json {
		findings := r.Findings
		if findings == nil {
			findings = []integrity.Finding{}
		}
		return p.printJSON(struct {
			Directory string              `json:"directory"`
			Running   bool                `json:"running"`
			Bytes     int64               `json:"bytes"`
			Findings  []integrity.Finding `json:"findings"`
		}{cfg.Data, r.Running, r.Bytes(), findings})
	}
	if r.External {
		fmt.Fprintln(p.out, "Only the posts are checked. Everything else is in an external NATS server.")
	}
	for _, f := range r.Findings {
		fmt.Fprintln(p.out, clean(f.String()))
	}
	if len(r.Findings) > 0 {
		return nil
	}
	var parts []string
	for _, part := range r.Parts {
		if part.Bytes > 0 {
			parts = append(parts, part.Name+": "+formatBytes(part.Bytes))
		}
	}
	_, err := fmt.Fprintf(p.out, "No damage found in %s (%s)\n", formatBytes(r.Bytes()), strings.Join(parts, ", "))
	return err
}

// A byteBar shows the progress of reading files as a bar on a terminal. Elsewhere it shows nothing.
type byteBar struct {
	out   io.Writer // nil: not a terminal
	label string
	drawn time.Time
}

// barInterval is the time between two drawings of a bar.
const barInterval = 100 * time.Millisecond

func (p *program) newByteBar(label string) *byteBar {
	b := &byteBar{label: label}
	if _, ok := terminal(p.err); ok {
		b.out = p.err
	}
	return b
}

func (b *byteBar) step(done, total int64) {
	if b.out == nil || time.Since(b.drawn) < barInterval {
		return
	}
	b.drawn = time.Now()
	fmt.Fprintf(b.out, "\r%s %s %s of %s\x1b[K", b.label, drawBar(done, total), formatBytes(done), formatBytes(total))
}

// end removes the bar.
func (b *byteBar) end() {
	if b.out != nil {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}

// formatBytes returns a size for people, such as "1.2 GB".
func formatBytes(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	size, unit := float64(n), 0
	for size >= 999.5 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	if unit == 0 || size >= 99.5 {
		return fmt.Sprintf("%.0f %s", size, units[unit])
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
