package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore/clickhouse/chhttp"
)

// Installation returns the ID of the installation whose posts are in the database, or an empty string
// if the database is not in use yet.
func Installation(ctx context.Context, db *chhttp.Client) (string, error) {
	var id proto.ColStr
	var found []string
	err := db.Query(ctx, chhttp.Statement{SQL: "SELECT DISTINCT id FROM installation"}, proto.Results{{Name: "id", Data: &id}}, func(rows int) error {
		for i := range rows {
			found = append(found, id.Row(i))
		}
		return nil
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("read the installation that uses the ClickHouse database: %w", err)
	case len(found) == 0:
		return "", nil
	case len(found) > 1:
		slices.Sort(found)
		return "", fmt.Errorf("two installations have begun to use the ClickHouse database %s at the same time: %v. Please drop the database and create it again; the journals still have the posts",
			db.Database(), found)
	}
	return found[0], nil
}

// Claim records that an installation uses the database. It returns an error if another one does, because
// the posts of two installations would replace each other.
func Claim(ctx context.Context, db *chhttp.Client, installation string, now time.Time) error {
	claimed := false
	for {
		found, err := Installation(ctx, db)
		switch {
		case err != nil:
			return err
		case found == installation:
			return nil
		case found != "":
			return fmt.Errorf("the ClickHouse database %s has the posts of installation %s, but this is installation %s: each installation needs a database of its own",
				db.Database(), found, installation)
		case claimed:
			return fmt.Errorf("the ClickHouse database %s does not return what was written to it", db.Database())
		}
		var id proto.ColStr
		id.Append(installation)
		at := proto.ColInt64{now.UnixNano()}
		if err := db.Insert(ctx, "installation", "installation-"+installation, proto.Input{{Name: "id", Data: &id}, {Name: "at", Data: &at}}); err != nil {
			return fmt.Errorf("record the installation that uses the ClickHouse database: %w", err)
		}
		claimed = true
	}
}
