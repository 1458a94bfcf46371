package sim

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// CallFetch is the name by which a fault targets the download of a post's file.
const CallFetch = "fetch"

const (
	fetchTime   = time.Minute
	agent       = "facebookexternalhit/1.1"
	robotsLimit = 500 << 10
)

// FetchFile downloads a file for an account as the networks do: without credentials, without following redirects, only
// from public or loopback addresses, and only if robots.txt allows their crawler. The server must send the correct
// length and type of the file.
func (k *Kit) FetchFile(ctx context.Context, network, account, address string) (Media, error) {
	slow, hit, cleared := k.Faults.fireMatching(
		Call{Network: network, Names: []string{CallFetch}, Account: account, Text: address},
	)
	beforeEffect, afterEffect := sumDelays(slow, hit)
	switch {
	case !k.waitAtMost(beforeEffect+afterEffect, cleared):
		return Media{}, errors.New("fetch media: the sandbox is stopping")
	case hit != nil:
		return Media{}, fmt.Errorf("fetch media: scripted fault %s", hit.Kind)
	case !k.mayFetch(address):
		return Media{}, fmt.Errorf("fetch media: the sandbox does not fetch files from %s", address)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: checkDialAddress}
	client := &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if err := fetchAndCheckRobots(ctx, client, address); err != nil {
		return Media{}, fmt.Errorf("fetch media: %w", err)
	}
	resp, err := getFile(ctx, client, address)
	if err != nil {
		return Media{}, fmt.Errorf("fetch media: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode != http.StatusOK:
		return Media{}, fmt.Errorf("fetch media: status %d", resp.StatusCode)
	case resp.ContentLength < 0:
		return Media{}, errors.New("fetch media: the response has no Content-Length")
	}
	m, err := k.detectAndStoreMediaIfRoom(resp.Body)
	if err != nil {
		return Media{}, fmt.Errorf("read media: %w", err)
	}
	said, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if m.Kind != "" && !m.matchesType(said) {
		return Media{}, fmt.Errorf("fetch media: the Content-Type is %q, but the file is %s", said, m.Type())
	}
	return m, nil
}

func getFile(ctx context.Context, client *http.Client, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", agent)
	return client.Do(req)
}

// detectAndStoreMediaIfRoom reads a whole file, detects its format, and stores it for the pages that show it, if
// there is room.
func (k *Kit) detectAndStoreMediaIfRoom(body io.Reader) (Media, error) {
	file, err := k.shelf.createTemp()
	if err != nil {
		return Media{}, err
	}
	defer k.shelf.closeAndDeleteUnlessKept(file)
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), body)
	if err != nil {
		return Media{}, err
	}
	m := DetectMedia(file, size)
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return m, k.shelf.keepFileIfRoom(file, m)
}

func (k *Kit) mayFetch(address string) bool {
	if len(k.cfg.MediaPrefixes) == 0 {
		return true
	}
	for _, p := range k.cfg.MediaPrefixes {
		if strings.HasPrefix(address, p) {
			return true
		}
	}
	return false
}

// checkDialAddress returns an error unless a resolved address is public or loopback. A dialer calls it for every
// address.
func checkDialAddress(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("parse the media host's address: %w", err)
	}
	ip := at.Addr().Unmap()
	if ip.IsLoopback() || (ip.IsGlobalUnicast() && !ip.IsPrivate()) {
		return nil
	}
	return errors.New("dial the media host: the address is neither public nor loopback")
}

// fetchAndCheckRobots returns an error if the robots.txt of the address's host forbids the networks' crawler to fetch
// the address. A host without a robots.txt allows it.
func fetchAndCheckRobots(ctx context.Context, client *http.Client, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	resp, err := getFile(ctx, client, u.Scheme+"://"+u.Host+"/robots.txt")
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode >= http.StatusInternalServerError:
		return fmt.Errorf("robots.txt: status %d", resp.StatusCode)
	case resp.StatusCode == http.StatusOK && kind == "text/plain" && isForbiddenByRobots(
		io.LimitReader(resp.Body, robotsLimit), u.EscapedPath(),
	):
		return errors.New("robots.txt forbids it")
	}
	return nil
}

// isForbiddenByRobots reports whether the longest rule that matches the path forbids it (RFC 9309). It uses the groups
// for the crawler or, if there are none, those for all. It treats wildcards within paths as ordinary characters.
func isForbiddenByRobots(robots io.Reader, path string) bool {
	type verdict struct {
		length int
		no     bool
	}
	groups := map[string]*verdict{}
	var group []string
	opening := false
	for lines := bufio.NewScanner(robots); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch name {
		case "user-agent":
			if !opening {
				group = nil
			}
			who := strings.ToLower(value)
			if groups[who] == nil {
				groups[who] = &verdict{}
			}
			group, opening = append(group, who), true
			continue
		case "allow", "disallow":
			for _, who := range group {
				if v := groups[who]; value != "" && strings.HasPrefix(path, strings.TrimSuffix(value, "*")) &&
					len(value) > v.length {
					*v = verdict{len(value), name == "disallow"}
				}
			}
		}
		opening = false
	}
	for _, who := range []string{strings.TrimSuffix(agent, "/1.1"), "*"} {
		if v := groups[who]; v != nil {
			return v.no
		}
	}
	return false
}
