package chhttp

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// What may be part of SQL without quotes.
var (
	settingName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	number      = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	identifier  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	tokenText   = regexp.MustCompile(`^[A-Za-z0-9._:/-]+$`)
)

// sql returns the text of a statement with format and settings. Settings at the end of CREATE would
// be settings of the table, so they follow a format that has no output.
func (c *Client) sql(s Statement, format string, defaults map[string]string) (string, error) {
	if err := checkSettings(s.Settings); err != nil {
		return "", err
	}
	settings := map[string]string{}
	maps.Copy(settings, defaults)
	maps.Copy(settings, s.Settings)
	sql := strings.TrimSpace(s.SQL)
	switch {
	case startsWith(sql, "SYSTEM"): // has no settings
		clear(settings)
	case startsWith(sql, "CREATE") && len(settings) > 0:
		format = "Null"
	}
	if format != "" {
		sql += "\nFORMAT " + format
	}
	if len(settings) > 0 {
		sql += "\nSETTINGS " + settingsText(settings)
	}
	return sql, nil
}

// startsWith reports whether the first word of a statement is the given one.
func startsWith(sql, word string) bool {
	first := sql[:max(0, strings.IndexAny(sql, " \t\n"))]
	return strings.EqualFold(first, word)
}

// insertSQL returns the text of an INSERT statement up to its rows.
func (c *Client) insertSQL(table, token string, in proto.Input) (string, error) {
	if !identifier.MatchString(table) {
		return "", fmt.Errorf("insert into %q: invalid name of a table", table)
	}
	names := make([]string, len(in))
	for i, col := range in {
		if !identifier.MatchString(col.Name) {
			return "", fmt.Errorf("insert into %s: invalid name of a column: %q", table, col.Name)
		}
		names[i] = "`" + col.Name + "`"
	}
	settings := map[string]string{
		"async_insert":                    "0", // otherwise the server writes the rows later, together with others
		"max_partitions_per_insert_block": "0", // posts of one insert may be from many years
	}
	maps.Copy(settings, c.timed)
	if token != "" {
		if !tokenText.MatchString(token) {
			return "", fmt.Errorf("insert into %s: invalid token %q", table, token)
		}
		settings["insert_deduplicate"] = "1"
		settings["insert_deduplication_token"] = token
	}
	return "INSERT INTO `" + table + "` (" + strings.Join(names, ", ") + ")\nSETTINGS " + settingsText(settings) + "\nFORMAT Native", nil
}

// settingsText returns settings in the order of their names.
func settingsText(settings map[string]string) string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(settings)) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name + " = ")
		if v := settings[name]; number.MatchString(v) && name != "insert_deduplication_token" {
			b.WriteString(v)
		} else {
			b.Write(appendQuoted(nil, v))
		}
	}
	return b.String()
}

func checkSettings(settings map[string]string) error {
	for name := range settings {
		if !settingName.MatchString(name) {
			return fmt.Errorf("invalid name of a ClickHouse setting: %q", name)
		}
	}
	return nil
}
