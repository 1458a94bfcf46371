// Fill adds many posts to a migrated database, to show how the service performs with them:
//
//	go run ./tools/fill -posts 3000000 "$(cat data/postgres.url)"
//
// A third of the posts belong to two accounts of the oldest workspace. Never run it on a database with real data.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"belfry/internal/store/storetest"
)

func main() {
	posts := flag.Int("posts", 3_000_000, "how many posts to add")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: fill [-posts N] DATABASE_URL")
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Arg(0), *posts); err != nil {
		fmt.Fprintln(os.Stderr, "fill:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string, posts int) error {
	began := time.Now()
	filled, err := storetest.Fill(ctx, address, posts)
	if err != nil {
		return err
	}
	fmt.Printf("Added %d posts in %s; %d of them belong to the accounts %v of the workspace %s.\n", posts,
		time.Since(began).Round(time.Second), posts/3, filled.Accounts, filled.Workspace)
	return nil
}
