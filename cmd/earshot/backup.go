package main

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"earshot"
	"earshot/internal/http/client"
	"earshot/internal/operate/backup"
)

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup DIR",
		Short: "Back up a running service",
		Long: `Copy all data of a running service to a directory, which must be empty or not
exist: posts, streams, analyses, users, teams, monitors, content sources and the
key that signs tokens. The service stays available. Every file is verified. If the
command fails, the directory does not contain a valid backup. Requires the token of
an administrator.`,
		Args: cobra.ExactArgs(1),
		RunE: p.action(func(cmd *cobra.Command, args []string) error {
			if err := backup.CheckEmpty(args[0]); err != nil { // fail before the server starts a backup
				return err
			}
			r := client.Request{Method: http.MethodPost, Path: client.Path("manage", "v1", "backup")}
			body, err := p.client().Download(cmd.Context(), r)
			if err != nil {
				return err
			}
			defer body.Close()
			m, err := backup.Unpack(body, args[0])
			if err != nil {
				return err
			}
			return p.printBackup(args[0], m)
		}),
	}
}

// printBackup prints the contents and the location of a backup.
func (p *program) printBackup(dir string, m *backup.Manifest) error {
	raw, err := json.Marshal(struct {
		Directory string           `json:"directory"`
		Files     int              `json:"files"`
		Bytes     int64            `json:"bytes"`
		Position  earshot.Position `json:"position"`
		Journal   earshot.Position `json:"journal"`
		Time      time.Time        `json:"time"`
		Version   string           `json:"version"`
	}{dir, len(m.Files), m.Size(), m.Position, m.Journal.Last, m.Time, m.Version})
	if err != nil {
		return err
	}
	return p.printRecord(raw)
}
