package config

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// AddFlags defines a flag for every setting. [Load] reads the flags.
func AddFlags(flags *pflag.FlagSet) {
	defaults := New()
	defaults.NodeName = "" // the help text is the same on every machine
	for _, s := range settings {
		v := s.value(&defaults)
		f := flags.VarPF(v, s.flag(), "", s.usage)
		if _, ok := v.(boolean); ok {
			f.NoOptDefVal = "true"
		}
	}
	for old, current := range oldNames {
		s := setting{name: old}
		f := *flags.Lookup(setting{name: current}.flag())
		f.Name, f.Hidden = s.flag(), true
		s, _ = findSetting(current)
		f.Value = s.value(&defaults)
		flags.AddFlag(&f)
	}
}

// JoinBooleans returns command line arguments in which the value of a flag for a boolean setting is
// part of the flag, so that --flag, --flag=true and --flag true mean the same.
func JoinBooleans(args []string) []string {
	var booleans []string
	var c Config
	for _, s := range withOldNames() {
		if _, ok := s.value(&c).(boolean); ok {
			booleans = append(booleans, "--"+s.flag())
		}
	}
	var joined []string
	for i := 0; i < len(args); i++ {
		if i+1 < len(args) && (args[i+1] == "true" || args[i+1] == "false") && slices.Contains(booleans, args[i]) {
			joined = append(joined, args[i]+"="+args[i+1])
			i++
			continue
		}
		joined = append(joined, args[i])
	}
	return joined
}

// Load returns the defaults, overridden by the file, then by environ (in the format of os.Environ),
// then by the flags that were given. file may be empty and flags nil; settings that flags does not
// define are skipped. An error names the setting, the source of its value and the allowed values.
func Load(flags *pflag.FlagSet, file string, environ []string) (Config, error) {
	c := New()
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return Config{}, fmt.Errorf("read configuration: %w", err)
		}
		if err := c.setFromFile(file, data); err != nil {
			return Config{}, err
		}
	}
	if err := c.setFromEnvironment(environ); err != nil {
		return Config{}, err
	}
	if err := c.setFromFlags(flags); err != nil {
		return Config{}, err
	}
	if err := c.validateCluster(); err != nil {
		return Config{}, err
	}
	if err := c.validateStore(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// setFromEnvironment ignores variables that are not settings, because other parts of the program
// have their own. An empty variable is a value like any other.
func (c *Config) setFromEnvironment(environ []string) error {
	given := map[string]string{}
	for _, pair := range environ {
		name, v, _ := strings.Cut(pair, "=")
		given[name] = v
	}
	for _, s := range withOldNames() {
		v, ok := given[s.variable()]
		if !ok {
			continue
		}
		if err := c.set(s, v, "environment variable "+s.variable()); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) setFromFlags(flags *pflag.FlagSet) error {
	if flags == nil {
		return nil
	}
	for _, s := range withOldNames() {
		f := flags.Lookup(s.flag())
		if f == nil || !f.Changed {
			continue
		}
		if err := c.set(s, f.Value.String(), "flag --"+s.flag()); err != nil {
			return err
		}
	}
	return nil
}

// set changes one setting. from names the source of the value.
func (c *Config) set(s setting, v, from string) error {
	if err := s.value(c).Set(v); err != nil {
		return fmt.Errorf("setting %s: invalid value %q in %s: must be %w", s.name, v, from, err)
	}
	return nil
}
