package main

import (
	"reflect"
	"testing"

	"earshot"
	"earshot/internal/config"
)

// TestOnlyTheDemoShowsRestrictedSources checks that the demo has no restricted sources unless someone
// restricts some, and that the default of other commands stays.
func TestOnlyTheDemoShowsRestrictedSources(t *testing.T) {
	f := func(environ, args []string, want ...earshot.Source) {
		t.Helper()
		p := &program{environ: environ}
		cmd := p.demoCommand()
		if err := cmd.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		cfg, err := p.demoConfig(cmd)
		if err != nil || !reflect.DeepEqual(cfg.RestrictedSources, want) {
			t.Errorf("environment %q, flags %q: got %q, %v, want %q", environ, args, cfg.RestrictedSources, err, want)
		}
	}
	f(nil, nil)
	f([]string{"EARSHOT_RESTRICTED_SOURCES=Tumblr"}, nil, earshot.Tumblr)
	f(nil, []string{"--restricted-sources", "Twitter,Tumblr"}, earshot.Twitter, earshot.Tumblr)
	if got := config.New().RestrictedSources; len(got) != 3 {
		t.Errorf("got %q by default", got)
	}
}
