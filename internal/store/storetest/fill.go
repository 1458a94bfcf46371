package storetest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"belfry/internal/core"
)

//go:embed fill.sql
var fillStatements string

// Filled identifies the large workspace that Fill has filled.
type Filled struct {
	Workspace core.WorkspaceID
	Accounts  []core.AccountID // the two that have half of the workspace's posts each
}

// Fill adds posts to a migrated database, each with its timeline, slot, ledger row and calls. A third of the posts
// belong to two accounts of the oldest workspace, and the others to twenty other workspaces with five accounts each. It
// creates missing workspaces and accounts. The role must be a superuser, because foreign keys are not checked.
func Fill(ctx context.Context, address string, posts int) (filled Filled, err error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return filled, fmt.Errorf("open the database to fill: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, strings.ReplaceAll(fillStatements, ":posts", strconv.Itoa(posts))); err != nil {
			return fmt.Errorf("fill the database: %w", err)
		}
		rows, err := tx.Query(ctx, `SELECT workspace_id, account_id FROM fill_accounts WHERE n < 2 ORDER BY n`)
		if err != nil {
			return fmt.Errorf("read the large workspace: %w", err)
		}
		var account core.AccountID
		_, err = pgx.ForEachRow(rows, []any{&filled.Workspace, &account}, func() error {
			filled.Accounts = append(filled.Accounts, account)
			return nil
		})
		return err
	})
	if err != nil {
		return filled, err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return filled, err
}
