package sim

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Person is somebody who has granted the app access on a network.
type Person struct {
	Network string `json:"network"`
	Title   string `json:"title"`
	ID      string `json:"id"`
	Name    string `json:"name"`
	Reports bool   `json:"reports"` // the network notifies the app when the person removes it
	Erases  bool   `json:"erases"`  // the network passes on that the person wants their data to be deleted
}

// ListPeople returns everybody with valid access, at all networks.
func (k *Kit) ListPeople() []Person {
	k.mu.Lock()
	logins := slices.Clone(k.logins)
	k.mu.Unlock()
	var list []Person
	for _, o := range logins {
		list = append(list, o.listPeopleWithAccess()...)
	}
	return list
}

// RemoveApp removes the app from a network on behalf of a person. It revokes the grant, and the network reports the
// removal. erase also requests the deletion of the person's data.
func (k *Kit) RemoveApp(network, person string, erase bool) error {
	k.mu.Lock()
	logins := slices.Clone(k.logins)
	k.mu.Unlock()
	for _, o := range logins {
		for _, p := range o.listPeopleWithAccess() {
			if p.Network == network && p.ID == person {
				if erase && !p.Erases {
					return fmt.Errorf("%s does not pass on requests to delete data", p.Title)
				}
				return o.removeAppAndReport(person, erase)
			}
		}
	}
	return fmt.Errorf("nobody with the ID %q has granted access on %q", person, network)
}

// listPeopleWithAccess returns the people whose grants have a valid token.
func (o *OAuth) listPeopleWithAccess() (list []Person) {
	for _, id := range o.listIDsWithAccess() {
		list = append(list, Person{
			Network: o.cfg.Network, Title: o.cfg.Title, ID: id, Name: o.cfg.NameOf(id),
			Reports: o.cfg.Removed != nil, Erases: o.cfg.Erases,
		})
	}
	return list
}

func (o *OAuth) listIDsWithAccess() (ids []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for t := range o.tokens.All() {
		id := o.personIDOrEmptyLocked(t)
		if id != "" && t.RefusalAt(o.kit.Now()) == "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// personIDOrEmptyLocked returns the person who granted the token; "" if unknown. The caller holds o.mu.
func (o *OAuth) personIDOrEmptyLocked(t Token) string {
	switch c := o.codes.Get(t.Grant); {
	case c == nil:
		return ""
	case o.cfg.Person != "":
		return o.cfg.Person
	default:
		return c.Subject
	}
}

func (o *OAuth) removeAppAndReport(person string, erase bool) error {
	if err := o.EndPersonAccess(person); err != nil {
		return err
	}
	if o.cfg.Removed != nil {
		o.cfg.Removed(person, erase)
	}
	return nil
}

// EndPersonAccess invalidates all tokens of a person.
func (o *OAuth) EndPersonAccess(person string) error {
	return o.EndTokens(Revoked, 0, func(t Token) bool { return o.personIDOrEmptyLocked(t) == person })
}

// notifyTimeout limits a call to the app.
const notifyTimeout = 10 * time.Second

// NotifyApp calls the app at the address of an event, the given number of times. Each response is recorded with the
// calls. Without a CallbackURL, it does nothing.
func (k *Kit) NotifyApp(network, event string, header http.Header, body string, times int) {
	if k.cfg.CallbackURL == "" {
		return
	}
	address := strings.TrimSuffix(k.cfg.CallbackURL, "/") + "/" + network + "/" + event
	k.RunJob(func(ctx context.Context) {
		for range times {
			k.notifyAndRecord(ctx, network, address, header, body)
		}
	})
}

// notifier shares no connections, because a test server closes those of http.DefaultClient when it stops.
var notifier = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (k *Kit) notifyAndRecord(ctx context.Context, network, address string, header http.Header, body string) {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return
	}
	r.Header = header.Clone()
	status := 0
	if resp, err := notifier.Do(r); err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody))
		_ = resp.Body.Close()
		status = resp.StatusCode
	}
	k.Calls.addRecord(CallRecord{
		At: k.Now(), Network: network, Call: CallNotify, Method: http.MethodPost, Host: r.URL.Host, Path: r.URL.Path,
		Status: status,
	})
}

// CallNotify is the name under which calls to the app are recorded.
const CallNotify = "notify"
