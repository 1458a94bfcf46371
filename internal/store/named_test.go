package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"belfry/internal/core"
)

// ADR 0004: a statement that does not name what it is given, or is not given what it names, fails, also when it has
// run before.
func TestNamedArgumentsAreStrictEveryTime(t *testing.T) {
	t.Parallel()
	const sql = `SELECT @ws, @id, @ws`
	for range 3 {
		numbered, values, err := namedArgs{"ws": 1, "id": 2}.RewriteQuery(t.Context(), nil, sql, nil)
		if err != nil || numbered != `SELECT $1, $2, $1` {
			t.Fatalf("%q, %v", numbered, err)
		}
		if diff := cmp.Diff([]any{1, 2}, values); diff != "" {
			t.Errorf("the values are not in order (-want +got):\n%s", diff)
		}
		for name, wrong := range map[string]args{
			"one is missing":     {"ws": 1},
			"another's name":     {"ws": 1, "di": 2},
			"one is too many":    {"ws": 1, "id": 2, "more": 3},
			"none is given":      nil,
			"the workspace lost": {"id": 2},
		} {
			if _, _, err := namedArgs(wrong).RewriteQuery(t.Context(), nil, sql, nil); err == nil {
				t.Errorf("%s, and the statement runs", name)
			}
		}
	}
}

// BenchmarkNamedArgs compares namedArgs with what it replaces, on the statement that reads a post.
func BenchmarkNamedArgs(b *testing.B) {
	sql := `SELECT` + postColumns + ` AND p.id = @id`
	values := args{"ws": core.NewID[core.WorkspaceKind](), "id": core.NewID[core.PostKind]()}
	rewriters := map[string]pgx.QueryRewriter{"named": namedArgs(values), "strict": pgx.StrictNamedArgs(values)}
	for name, rewriter := range rewriters {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := rewriter.RewriteQuery(b.Context(), nil, sql, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
