// Errortable writes a document with the error codes of all networks, what each means, and who must act:
//
//	go run ./tools/errortable docs/networks/errors.md
package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"belfry/internal/network"
	"belfry/internal/network/all"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: errortable FILE")
		os.Exit(2)
	}
	text, err := write()
	if err == nil {
		err = os.WriteFile(os.Args[1], []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "errortable:", err)
		os.Exit(1)
	}
}

const introduction = `# Network error codes

<!-- Written by tools/errortable from the tables in internal/network. Do not edit. -->

This page lists every error code that Belfry recognizes: all codes that the networks document for the calls that Belfry
makes, and a few others. For each error, the page describes what happens and who must act. The page of a failed post
shows the network's own message, without secrets, and the hint from this page. The page of the post shows a general hint
instead if the account must be reconnected, the network could not process the post, or the outcome of the post is
unknown. If *Who must act* is Belfry, people need to follow the hint only if the error persists.

If a row says that the account is not connected, its code occurs only while a person connects an account or while Belfry
renews a token. If Belfry was renewing a token, it tries again later. However, after ` + "`invalid_grant`" + `,
Belfry marks the account as revoked or expired.

The tables describe what happens once a post is due. Before that time, temporary errors do not use up retries, and a
post whose account is marked as revoked or expired does not fail yet. The delays of 1, 5 and 15 minutes are the default
value of ` + "`BELFRY_RETRY_DELAYS`" + `.

After an error in the publishing call, Belfry first asks the network whether the post was published. If so, the post is
live. If not, the table applies, with one exception: after a temporary error, or if the access token must be renewed,
Belfry repeats the call if it is safe to do so, 1, 5 and 15 minutes after the settle time. Otherwise, the post fails
with ` + "`outcome_unknown`" + `.

If a code is not listed, the HTTP status of the response determines what happens. However, errors from Meta's upload
hosts and errors that Meta marks as transient count as temporary. If the network refuses a thumbnail or a change to a
playlist, the post stays live, and the error appears as a note in the post's timeline.

`

// write returns the whole document.
func write() (string, error) {
	drivers := all.Drivers()
	set, err := network.NewSet(drivers, network.Environment{
		Client: network.NewClient(network.ClientConfig{}), Get: defaultsOf(drivers), Now: time.Now,
	})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString(introduction)
	for i, d := range drivers {
		if d.Errors == nil {
			continue
		}
		fmt.Fprintf(&text, "## %s\n\n| Code | What happens | Who must act | Hint |\n|---|---|---|---|\n", set.DisplayName(d.ID))
		for _, e := range d.Errors() {
			fmt.Fprintf(&text, "| `%s` | %s | %s | %s |\n", e.Code, describe(e.ErrorMeaning), e.WhoActs(), e.Hint)
		}
		if i < len(drivers)-1 {
			text.WriteString("\n")
		}
	}
	return text.String(), nil
}

func defaultsOf(drivers []network.Driver) func(string) string {
	values := map[string]string{}
	for _, d := range drivers {
		for _, v := range d.Variables {
			values[v.Name] = v.Default
		}
	}
	return func(name string) string { return values[name] }
}

// describe returns what happens after an error.
func describe(m network.ErrorMeaning) string {
	whose := map[network.Scope]string{
		network.ScopePost: "the post", network.ScopeAccount: "the account's posts", network.ScopeApp: "all posts on the network",
	}[m.Scope]
	wait := "for " + duration(m.Wait)
	switch {
	case m.Connecting:
		return "the account is not connected"
	case m.AfterLive && m.Kind == network.Rejected:
		return "the post stays live, with a note in its timeline"
	case m.AfterLive:
		return "the post stays live, and Belfry repeats the call"
	}
	switch m.Kind {
	case network.RateLimited:
		if m.Daily {
			return whose + " wait until the network's day ends"
		}
		if m.UntilQuotaHasRoom {
			return whose + " wait until the quota allows another post, or " + wait +
				" if Belfry cannot determine when that will be"
		}
		return whose + " wait " + wait + ", or for as long as the network specifies"
	case network.Transient:
		return "Belfry tries again after 1, 5 and 15 minutes"
	case network.Lapsed:
		return "Belfry renews the access token and repeats the call once"
	case network.Expired, network.Revoked:
		return "the post fails, and the account is marked as " + string(m.Kind.ResultingAccountStatus())
	}
	switch {
	case m.Wait > 0:
		return "the post fails, and the account's other posts wait " + wait
	case m.Duplicate:
		return "the post fails; its outcome is unknown if an earlier call may have published it"
	}
	return "the post fails"
}

func duration(d time.Duration) string {
	switch {
	case d == time.Hour:
		return "an hour"
	case d == time.Minute:
		return "a minute"
	case d%time.Hour == 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}
