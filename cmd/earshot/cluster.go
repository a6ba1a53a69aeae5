package main

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/http/client"
	"earshot/internal/operate"
)

const clusterPath = "/manage/v1/cluster"

func (p *program) clusterCommand() *cobra.Command {
	return group("cluster", "Show and change the nodes of an installation",
		p.clusterStatusCommand(), p.clusterRemoveCommand(), p.clusterSecretCommand(), p.clusterSupportCommand())
}

// clusterStatus is the response of the server.
type clusterStatus struct {
	Name    string `json:"name"`
	Problem string `json:"problem"`
	Nodes   []struct {
		ID       string    `json:"id"`
		Name     string    `json:"name"`
		Version  string    `json:"version"`
		Ready    bool      `json:"ready"`
		Live     bool      `json:"live"`
		State    string    `json:"state"`
		Detail   string    `json:"detail"`
		Seen     time.Time `json:"seen"`
		Position int64     `json:"position"`
		Lag      int64     `json:"lag"`
		Roles    []string  `json:"roles"`
	} `json:"nodes"`
	Journal struct {
		First int64 `json:"first"`
		Last  int64 `json:"last"`
	} `json:"journal"`
	Streams []struct {
		Name     string `json:"name"`
		Leader   string `json:"leader"`
		Replicas []struct {
			Node    string `json:"node"`
			Current bool   `json:"current"`
			Lag     int64  `json:"lag"`
			Offline bool   `json:"offline"`
		} `json:"replicas"`
	} `json:"streams"`
}

func (p *program) clusterStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the nodes, their roles, and the replicas of each NATS stream",
		Long: `Show the nodes of the installation: whether they answer requests, how many journal
entries they have not processed yet, and which roles they have. Then show where the
replicas of each NATS stream are. Requires the token of an administrator.`,
		Args: cobra.NoArgs,
		RunE: p.action(func(cmd *cobra.Command, _ []string) error {
			raw, err := p.client().Call(cmd.Context(), client.Request{Method: http.MethodGet, Path: clusterPath})
			if err != nil {
				return err
			}
			return printAs(p, raw, "response", p.printCluster)
		}),
	}
}

func (p *program) printCluster(s clusterStatus) error {
	if s.Name != "" {
		fmt.Fprintf(p.out, "Cluster %s, journal entries %d to %d\n\n", clean(s.Name), s.Journal.First, s.Journal.Last)
	}
	err := table(p.out, func(w io.Writer) error {
		fmt.Fprintln(w, "NODE\tSTATE\tPOSITION\tLAG\tVERSION\tROLES")
		for _, n := range s.Nodes {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", clean(n.Name), nodeState(n.Live, n.State, n.Detail, n.Seen), n.Position, n.Lag, clean(n.Version), clean(strings.Join(n.Roles, ", ")))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if s.Problem != "" {
		fmt.Fprintf(p.out, "\n%s\n", clean(s.Problem))
	}
	if len(s.Streams) == 0 {
		return nil
	}
	fmt.Fprintln(p.out)
	return table(p.out, func(w io.Writer) error {
		fmt.Fprintln(w, "STREAM\tLEADER\tREPLICAS")
		for _, stream := range s.Streams {
			var replicas []string
			for _, r := range stream.Replicas {
				switch {
				case r.Offline:
					replicas = append(replicas, r.Node+" (offline)")
				case r.Lag > 0:
					replicas = append(replicas, fmt.Sprintf("%s (%d behind)", r.Node, r.Lag))
				case !r.Current:
					replicas = append(replicas, r.Node+" (catching up)")
				default:
					replicas = append(replicas, r.Node)
				}
			}
			leader := stream.Leader
			if leader == "" {
				leader = "none"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\n", clean(stream.Name), clean(leader), clean(strings.Join(replicas, ", ")))
		}
		return nil
	})
}

func nodeState(live bool, state, detail string, seen time.Time) string {
	switch {
	case !live:
		return "down since " + seen.UTC().Format("2006-01-02 15:04:05") + " UTC"
	case detail != "":
		return clean(state + ": " + detail)
	}
	return clean(state)
}

func (p *program) clusterRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NODE",
		Short: "Remove a node that has been stopped",
		Long: `Remove a node that has been stopped, and will not be started again with its data,
from the installation. The journal no longer keeps entries for it, and the other nodes
no longer count it when they need a majority. With enough other nodes, they get copies
of what it stored. Requires the token of an administrator.`,
		Args: cobra.ExactArgs(1),
		RunE: p.action(func(cmd *cobra.Command, args []string) error {
			r := client.Request{Method: http.MethodDelete, Path: client.Path("manage", "v1", "cluster", "nodes", args[0])}
			if _, err := p.client().Call(cmd.Context(), r); err != nil {
				return err
			}
			return p.note("Removed node %s", args[0])
		}),
	}
}

func (p *program) clusterSecretCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "secret",
		Short: "Print a new secret for the nodes of a cluster",
		Long: `Print a new random secret. All nodes of a cluster need the same one: it signs tokens
and authenticates the nodes to each other. For example:

  umask 077; earshot cluster secret > secret.key

Copy the file to every node, and name it in secret_file.`,
		Args: cobra.NoArgs,
		RunE: p.action(func(*cobra.Command, []string) error {
			var b [36]byte
			rand.Read(b[:]) // never fails
			_, err := fmt.Fprintln(p.out, base64.RawURLEncoding.EncodeToString(b[:]))
			return err
		}),
	}
}

func (p *program) clusterSupportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "support",
		Short: "Run only the NATS server of this node, while another node restores a backup",
		Long: `Run the embedded NATS server of this node without the service, until the command is
interrupted. A cluster needs its nodes to store anything; use this command on all other
nodes while one of them restores a backup into the empty cluster.`,
		Args: cobra.NoArgs,
	}
	addFlags(cmd.Flags(), restoreFlags)
	file := cmd.Flags().String("config", "", "configuration `file`")
	cmd.RunE = p.action(func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(cmd.Flags(), *file, p.environ)
		if err != nil {
			return err
		}
		if len(cfg.Peers) == 0 {
			return wrongUsage("cluster support needs --cluster-name and --peers")
		}
		return operate.Support(cmd.Context(), cfg, app.Logger(cfg, p.err))
	})
	return cmd
}
