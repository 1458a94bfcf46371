package main

import (
	"context"
	"fmt"
	"time"
)

const (
	reels     = 40
	reelTakes = "20" // seconds until a network has processed a Reel
	goalReel  = 2 * time.Second
)

// measureReels publishes Reels that the networks need time to process, and compares their scheduled time with the
// networks' own records.
func measureReels(ctx context.Context, o options, folder string, t *table) error {
	p, err := startWithNetworks(ctx, o, folder, manyAccounts)
	if err != nil {
		return err
	}
	defer p.stop()
	slow := map[string]string{"facebook.process_seconds": reelTakes, "instagram.process_seconds": reelTakes}
	if err := call(ctx, "POST", p.control+"options", "", slow, nil); err != nil {
		return err
	}
	if err := p.slowDown(ctx); err != nil {
		return err
	}
	late, err := p.publishAtOnce(ctx, reels, chooseReel)
	if err != nil {
		return err
	}
	most := quantile(late.arrived, 1)
	met := most < goalReel
	t.section(fmt.Sprintf("%d Reels due at once, each processed for %s s, each network call taking %s", reels, reelTakes, callTakes))
	t.row("due time to visible on the network, p50", seconds(median(late.arrived)), "", nil)
	t.row("due time to visible on the network, maximum", seconds(most), "< 2 s", &met)
	return nil
}
