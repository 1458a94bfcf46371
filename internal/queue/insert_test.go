package queue_test

import (
	"io"
	"os"
	"testing"
	"time"

	"belfry/internal/core"
	"belfry/internal/queue"
	"belfry/internal/store/storetest"
)

// River wrote to standard output what it also returned, whatever the service's log is.
func TestAnInsertThatFailsLogsNothingByItself(t *testing.T) {
	read, write, err := os.Pipe()
	must(t, err)
	stdout := os.Stdout
	os.Stdout = write
	jobs, err := queue.NewInserter()
	os.Stdout = stdout
	must(t, err)
	tx, err := storetest.Pool(t).Begin(t.Context())
	must(t, err)
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), `CREATE SCHEMA broken; SET LOCAL search_path = broken, public, pg_catalog;
		CREATE FUNCTION broken.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$BEGIN RAISE 'broken'; END$$`)
	must(t, err)
	job := queue.Link{Workspace: core.NewID[core.WorkspaceKind](), Post: core.NewID[core.PostKind]()}
	if err := jobs.Insert(t.Context(), tx, job, time.Time{}); err == nil {
		t.Error("the insert did not fail")
	}
	must(t, write.Close())
	if said, err := io.ReadAll(read); err != nil || len(said) > 0 {
		t.Errorf("it wrote %q, %v", said, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
