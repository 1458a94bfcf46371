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

// Person is somebody who has let the app in at a network.
type Person struct {
	Network string `json:"network"`
	Title   string `json:"title"`
	ID      string `json:"id"`
	Name    string `json:"name"`
	Reports bool   `json:"reports"` // the network tells the app when the person removes it
	Erases  bool   `json:"erases"`  // the network passes on that the person wants their data to be deleted
}

// People lists everybody whose access works, at all networks.
func (k *Kit) People() []Person {
	k.mu.Lock()
	logins := slices.Clone(k.logins)
	k.mu.Unlock()
	var list []Person
	for _, o := range logins {
		list = append(list, o.listPeople()...)
	}
	return list
}

// RemoveApp does what a person does who removes the app at a network: it revokes the grant, and the network reports it.
// erase also asks for the person's data to be deleted.
func (k *Kit) RemoveApp(network, person string, erase bool) error {
	k.mu.Lock()
	logins := slices.Clone(k.logins)
	k.mu.Unlock()
	for _, o := range logins {
		for _, p := range o.listPeople() {
			if p.Network == network && p.ID == person {
				if erase && !p.Erases {
					return fmt.Errorf("%s passes on no requests to delete data", p.Title)
				}
				return o.removeApp(person, erase)
			}
		}
	}
	return fmt.Errorf("nobody called %q has access at %q", person, network)
}

// listPeople lists those who gave a code of which a token works.
func (o *OAuth) listPeople() (list []Person) {
	for _, id := range o.personIDs() {
		list = append(list, Person{
			Network: o.cfg.Network, Title: o.cfg.Title, ID: id, Name: o.cfg.NameOf(id),
			Reports: o.cfg.Removed != nil, Erases: o.cfg.Erases,
		})
	}
	return list
}

func (o *OAuth) personIDs() (ids []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for t := range o.tokens.All() {
		id := o.personOf(t)
		if id != "" && t.Refusal(o.kit.Now()) == "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// personOf is who gave the code of a token; "" when that is not known. The caller holds the lock.
func (o *OAuth) personOf(t Token) string {
	switch c := o.codes.Get(t.Grant); {
	case c == nil:
		return ""
	case o.cfg.Person != "":
		return o.cfg.Person
	default:
		return c.Subject
	}
}

func (o *OAuth) removeApp(person string, erase bool) error {
	if err := o.EndAccess(person); err != nil {
		return err
	}
	if o.cfg.Removed != nil {
		o.cfg.Removed(person, erase)
	}
	return nil
}

// EndAccess ends all tokens of a person.
func (o *OAuth) EndAccess(person string) error {
	return o.End(Revoked, 0, func(t Token) bool { return o.personOf(t) == person })
}

// notifyTimeout bounds a call to the app.
const notifyTimeout = 10 * time.Second

// Notify calls the app at the address of an event, several times for a network that may repeat its calls. Without a
// CallbackURL, it does nothing. Each response is recorded among the calls.
func (k *Kit) Notify(network, event string, header http.Header, body string, times int) {
	if k.cfg.CallbackURL == "" {
		return
	}
	address := strings.TrimSuffix(k.cfg.CallbackURL, "/") + "/" + network + "/" + event
	k.Go(func(ctx context.Context) {
		for range times {
			k.notifyOnce(ctx, network, address, header, body)
		}
	})
}

// notifier shares no connection, because a test server that ends closes those of http.DefaultClient.
var notifier = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (k *Kit) notifyOnce(ctx context.Context, network, address string, header http.Header, body string) {
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

// CallNotify is how a network's call of the app is recorded.
const CallNotify = "notify"
