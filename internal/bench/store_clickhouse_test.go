package bench

import (
	"testing"

	"earshot/internal/poststore/clickhouse"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/test/testenv"
)

func TestMeasurementsWithClickHouse(t *testing.T) {
	testenv.SkipUnderRace(t)
	server := chtest.Open(t)
	db, err := clickhouse.NewDatabase(clickhouse.DatabaseOptions{URL: server.URL, User: "default", Name: server.Database})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, b := range List() {
		if !b.Database {
			continue
		}
		dir := t.TempDir()
		report, err := b.Run(t.Context(), Options{Count: 200, Dir: dir, Database: db, runs: 2})
		if err != nil {
			t.Errorf("%s: %v", b.Name, err)
			continue
		}
		if ingest, ok := report.Result.(*IngestResult); ok && (ingest.AppendedPerSecond <= 0 || ingest.BytesPerPost["clickhouse"] <= 0) {
			t.Errorf("%s: got %+v", b.Name, ingest)
		}
	}
}
