package clickhouse

import (
	"strings"
	"testing"
	"time"

	"earshot/internal/poststore/clickhouse/chhttp"
)

func TestClaim(t *testing.T) {
	db, ctx := openDatabase(t), t.Context()
	if err := CheckEmpty(ctx, db); err != nil {
		t.Errorf("an empty database: %v", err)
	}
	if err := Migrate(ctx, db, Topology{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := CheckEmpty(ctx, db); err == nil || !strings.Contains(err.Error(), "has tables (") {
		t.Errorf("a database with tables: %v", err)
	}
	if id, err := Installation(ctx, db); id != "" || err != nil {
		t.Errorf("a new database belongs to %q, %v", id, err)
	}
	for range 2 {
		if err := Claim(ctx, db, "a", time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if id, err := Installation(ctx, db); id != "a" || err != nil {
		t.Errorf("the database belongs to %q, %v, want a", id, err)
	}
	if err := Claim(ctx, db, "b", time.Now()); err == nil || !strings.Contains(err.Error(), "has the posts of installation a, but this is installation b") {
		t.Errorf("another installation: %v", err)
	}
	if err := db.Exec(ctx, chhttp.Statement{SQL: "INSERT INTO installation (id, at) SELECT 'b', 1"}); err != nil {
		t.Fatal(err)
	}
	if err := Claim(ctx, db, "a", time.Now()); err == nil || !strings.Contains(err.Error(), "two installations have begun") {
		t.Errorf("two installations: %v", err)
	}
}
