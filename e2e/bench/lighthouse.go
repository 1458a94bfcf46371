package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// lighthouse is installed by tools/need-lighthouse, as `make bench` does.
	lighthouse = "tools/lighthouse/node_modules/.bin/lighthouse"
	// lighthouseTries is how often a page is loaded if Chromium records no trace, for which Lighthouse asks.
	lighthouseTries = 3
	goalPerformance = 98
	goalFirstLoad   = 150 << 10
	// goodAudit is the least score of a check that is not told when a page misses its goal.
	goodAudit = 0.9
)

// judgement is what Lighthouse says of a page, as its JSON has it.
type judgement struct {
	FinalDisplayedURL string
	Categories        map[string]struct{ Score float64 }
	Audits            map[string]struct {
		Title   string
		Score   *float64
		Details struct{ Items json.RawMessage }
	}
}

// judgePages lets Lighthouse load the main pages as a phone does, with a visitor's cookies.
func (p *publisher) judgePages(ctx context.Context, visitor *http.Client, home string, t *table) error {
	t.section("The same pages in Lighthouse, on a phone: performance / accessibility / best practices")
	for _, page := range []dashboardPage{
		{name: "Up next", path: home + "/posts"},
		{name: "calendar", path: home + "/calendar"},
		{name: "compose", path: home + "/compose"},
		{name: "media", path: home + "/media"},
	} {
		found, err := p.judgePage(ctx, visitor, page.path)
		if err != nil {
			return fmt.Errorf("judge %s: %w", page.path, err)
		}
		score := func(category string) int { return int(found.Categories[category].Score*100 + 0.5) }
		met := score("performance") >= goalPerformance && score("accessibility") == 100 && score("best-practices") == 100
		t.row(page.name, fmt.Sprintf("%d / %d / %d", score("performance"), score("accessibility"), score("best-practices")),
			fmt.Sprintf("≥ %d / 100 / 100", goalPerformance), &met)
		if !met {
			for _, name := range slices.Sorted(maps.Keys(found.Audits)) {
				if audit := found.Audits[name]; audit.Score != nil && *audit.Score < goodAudit {
					t.row("  "+audit.Title, fmt.Sprintf("%.2f", *audit.Score), "", nil)
				}
			}
		}
		code, pictures, err := found.sumTransferSizes()
		if err != nil {
			return err
		}
		light := code < goalFirstLoad
		t.row(page.name+", first load: page, styles, scripts and font / pictures of the workspace",
			fmt.Sprintf("%d / %d KB", code>>10, pictures>>10), fmt.Sprintf("< %d KB", goalFirstLoad>>10), &light)
	}
	return nil
}

func (p *publisher) judgePage(ctx context.Context, visitor *http.Client, path string) (found judgement, err error) {
	address := &url.URL{Scheme: "http", Host: p.addr, Path: "/"}
	var cookies []string
	for _, c := range visitor.Jar.Cookies(address) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	headers, err := json.Marshal(map[string]string{"Cookie": strings.Join(cookies, "; ")})
	if err != nil {
		return found, err
	}
	page := "http://" + strings.Replace(p.addr, "127.0.0.1", "localhost", 1) + path // as the service redirects browsers
	report := filepath.Join(p.folder, "lighthouse.json")
	for try := 1; ; try++ {
		cmd := exec.CommandContext(ctx, lighthouse, page, "--quiet", "--output=json", "--output-path="+report,
			"--only-categories=performance,accessibility,best-practices", "--extra-headers="+string(headers),
			"--chrome-flags=--headless=new --no-sandbox")
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if try == lighthouseTries || !bytes.Contains(out, []byte("Please run Lighthouse again")) {
			return found, fmt.Errorf("lighthouse: %w: %s", err, out)
		}
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return found, err
	}
	if found.FinalDisplayedURL != page {
		return found, fmt.Errorf("lighthouse was redirected to %s", found.FinalDisplayedURL)
	}
	return found, nil
}

// sumTransferSizes returns how many bytes the first load of a page takes over the network: those of Belfry's own code, and those of
// the pictures that the workspace's people and networks brought.
func (j judgement) sumTransferSizes() (code, pictures int, err error) {
	var requests []struct {
		ResourceType string
		TransferSize int
	}
	if err := json.Unmarshal(j.Audits["network-requests"].Details.Items, &requests); err != nil {
		return 0, 0, fmt.Errorf("read what the page loads: %w", err)
	}
	for _, r := range requests {
		if r.ResourceType == "Image" {
			pictures += r.TransferSize
		} else {
			code += r.TransferSize
		}
	}
	return code, pictures, nil
}
