package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"belfry/internal/store/storetest"
)

func TestTheCommandRunsBeneathAServerThatEndsWithIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "address")
	if code := run(t.Context(), []string{"sh", "-c", `printf %s "$` + storetest.Variable + `" >"$0"; exit 7`, file}); code != 7 {
		t.Errorf("exit code %d, want the command's 7", code)
	}
	address, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(address), "postgres://") {
		t.Fatalf("the command saw the address %q, error %v", address, err)
	}
	if conn, err := pgx.Connect(t.Context(), string(address)); err == nil {
		_ = conn.Close(t.Context())
		t.Error("the server still runs")
	}
}

func TestBadUse(t *testing.T) {
	t.Parallel()
	if code := run(t.Context(), nil); code != 2 {
		t.Errorf("without a command: %d", code)
	}
	if code := run(t.Context(), []string{"/no/such/program"}); code != 1 {
		t.Errorf("with an unknown command: %d", code)
	}
}
