package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// That the committed file is up to date is CI's to say, with `make schema` and a diff.
func TestTheDumpSaysNothingAboutItsMaker(t *testing.T) {
	t.Parallel()
	dump := "--\n-- PostgreSQL database dump\n--\n\n\\restrict abc\n\nSET lock_timeout = 0;\nSELECT pg_catalog.set_config('search_path', '', false);\n\n\nCREATE TABLE a (\n    n int  \n);\n\n\n--\n-- Name: b\n--\n\nCREATE TABLE b ();\n\n\\unrestrict abc\n\n"
	want := "CREATE TABLE a (\n    n int\n);\n\nCREATE TABLE b ();\n"
	if diff := cmp.Diff(want, plain(dump)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheSchemaIsWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "schema.sql")
	if err := run(t.Context(), []string{file}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"CREATE TABLE public.schema_version (\n", "CREATE TABLE public.river_job (\n"} {
		if !strings.Contains(string(got), line) {
			t.Errorf("%q is missing", line)
		}
	}
}
